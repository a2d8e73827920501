import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { createInvitation } from "../src/identity/accounts/inviting.ts";
import { readProfile } from "../src/identity/accounts/profile.ts";
import { type Browser, browser } from "./support/browser.ts";
import { type Github, startGithub } from "./support/github.ts";
import type { TestHub } from "./support/hub.ts";
import {
  clientId,
  clientSecret,
  logInAtProvider,
  type OpenIdProvider,
  startOpenIdProvider,
} from "./support/openid-provider.ts";
import { makePerson, password } from "./support/person.ts";
import { sharedHub } from "./support/shared-hub.ts";

let openId: OpenIdProvider;
let github: Github;
afterAll(async () => {
  await openId[Symbol.asyncDispose]();
  await github[Symbol.asyncDispose]();
});

const variables = async (): Promise<Record<string, string>> => {
  openId ??= await startOpenIdProvider();
  github ??= await startGithub();
  const closed = "http://localhost:2";
  return {
    HUB_LIMITS: "off",
    HUB_SIGN_IN_PROVIDERS: [
      `company ${openId.url} ${clientId} ${clientSecret} Example Company`,
      `github ${github.url} ${clientId} ${clientSecret}`,
      `gone ${closed} ${clientId} ${clientSecret}`,
    ].join(", "),
  };
};

const company = "Continue with Example Company";
const octocat = {
  id: 583231,
  login: "Octo-Cat",
  name: "The Octocat",
  emails: [
    { email: "old@example.com", primary: false, verified: true },
    { email: "octocat@example.com", primary: true, verified: true },
  ],
};

async function signInWith(server: TestHub, login: string, button = company): Promise<Browser> {
  const tab = browser(server);
  await tab.open("/sign-in");
  await tab.press(button);
  await logInAtProvider(tab, login);
  return tab;
}

/** Signs in with a new account of the provider and chooses a name. */
async function register(server: TestHub, name: string): Promise<Browser> {
  const tab = await signInWith(server, `subject-of-${name}`);
  await tab.press("Create account", { Name: name });
  return tab;
}

describe("an open hub", () => {
  const server = sharedHub("server", async () => ({
    ...(await variables()),
    HUB_REGISTRATION: "open",
  }));
  beforeAll(() => openId.register(`${server.url}/sign-in/with/company/callback`));

  test("asks for a name at the first sign-in with an OpenID provider only", async () => {
    openId.claims.set("s-ada", {
      preferred_username: "Ada.L",
      name: "Ada Lovelace",
      email: "ada.l@example.com",
      email_verified: true,
    });
    const tab = await signInWith(server, "s-ada");
    expect(tab.page.heading).toBe("Choose a name");
    expect(tab.page.html).toContain('value="ada.l"');
    const taken = await tab.press("Create account", { Name: "admin" });
    expect([taken.status, taken.heading]).toEqual([400, "Choose a name"]);
    const home = await tab.press("Create account", { Name: "ada.l" });
    expect(home.text).toContain("You are signed in as ada.l");
    const again = await signInWith(server, "s-ada");
    expect(again.page.heading).toBe("Account");
    const { account_id: id } = await server.hub.database
      .selectFrom("identities")
      .innerJoin("users", "account_id", "user_id")
      .where("subject", "=", "s-ada")
      .select("account_id")
      .executeTakeFirstOrThrow();
    expect(await readProfile(server.hub.database, id)).toMatchObject({
      fullname: "Ada Lovelace",
      email: "ada.l@example.com",
      email_verified: true,
    });
  });

  test("signs in with GitHub by the user's id, and takes the primary verified address", async () => {
    github.user = octocat;
    const tab = browser(server);
    await tab.open("/sign-in?next=%2Fsettings%2Ftokens");
    await tab.press("Continue with GitHub");
    expect(tab.page.html).toContain('value="octo-cat"');
    expect(tab.page.html).toContain('value="octocat@example.com"');
    expect((await tab.press("Create account")).heading).toBe("Tokens");
    github.user = { ...octocat, login: "renamed" };
    const again = browser(server);
    await again.open("/sign-in");
    expect((await again.press("Continue with GitHub")).text).toContain("signed in as octo-cat");
    github.user = { ...octocat, id: 2 };
    const impostor = browser(server);
    await impostor.open("/sign-in");
    expect((await impostor.press("Continue with GitHub")).heading).toBe("Choose a name");
  });

  test("never links an account by an e-mail address", async () => {
    await makePerson(server, "grace");
    openId.claims.set("s-mallory", { email: "grace@example.com", email_verified: true });
    const tab = await signInWith(server, "s-mallory");
    expect(tab.page.heading).toBe("Choose a name");
    const refused = await tab.press("Create account", { Name: "mallory" });
    expect(refused.text).toContain("Another account has this e-mail address");
  });

  test("does not mark an address as verified that the provider has not verified", async () => {
    openId.claims.set("s-eve", { email: "eve@example.com", email_verified: false });
    const tab = await signInWith(server, "s-eve");
    expect(tab.page.html).not.toContain("eve@example.com");
    await tab.press("Create account", { Name: "eve", "E-mail (optional)": "eve@example.com" });
    const { email_verified_at } = await server.hub.database
      .selectFrom("users")
      .where("email", "=", "eve@example.com")
      .select("email_verified_at")
      .executeTakeFirstOrThrow();
    expect(email_verified_at).toBeNull();
  });

  test("accepts the answer of a provider once, in the browser and at the provider where it began", async () => {
    github.user = octocat;
    const path = async (tab: Browser, button: string): Promise<string> => {
      await tab.open("/sign-in");
      const before = tab.page.html;
      const [, form = ""] = /name="form" value="([^"]*)"/.exec(before) ?? [];
      const started = await fetch(`${server.url}/sign-in/with/${button}`, {
        method: "POST",
        headers: {
          cookie: [...tab.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
          "content-type": "application/x-www-form-urlencoded",
        },
        body: new URLSearchParams({ form, next: "//evil.example/" }).toString(),
      });
      const [, url = ""] = /url=(.+)$/.exec(started.headers.get("refresh") ?? "") ?? [];
      const back = await fetch(url, { redirect: "manual" });
      const { pathname, search } = new URL(back.headers.get("location") ?? "");
      return `${pathname}${search}`;
    };
    const [victim, attacker] = [browser(server), browser(server)];
    const stolen = await path(attacker, "github");
    await victim.open("/sign-in");
    const csrf = await victim.open(stolen);
    expect([csrf.status, csrf.text.includes("began in another browser")]).toEqual([400, true]);
    expect((await victim.open("/settings")).heading).toBe("Sign in");
    const mixed = await attacker.open(stolen.replace("github", "company"));
    expect(mixed.status).toBe(400);
    const first = await attacker.open(stolen);
    expect([first.status, first.path]).toEqual([200, "/settings"]);
    expect((await attacker.open(stolen)).status).toBe(400);
    const late = await path(victim, "github");
    server.advanceClock(11 * 60_000);
    expect((await victim.open(late)).status).toBe(400);
  });

  test("explains a denied access and an unreachable provider", async () => {
    github.user = undefined;
    const tab = browser(server);
    await tab.open("/sign-in");
    expect((await tab.press("Continue with GitHub")).text).toContain("access was denied there");
    await tab.open("/sign-in");
    const gone = await tab.press("Continue with Gone");
    expect([gone.status, gone.text.includes("Gone did not answer as expected")]).toEqual([
      503,
      true,
    ]);
  });

  test("adds a provider to a signed-in account, and removes it unless it is the last way", async () => {
    const hopper = await makePerson(server, "hopper");
    const tab = await hopper.signIn();
    await tab.open("/settings/sign-in");
    await tab.press("Add Example Company");
    await logInAtProvider(tab, "s-hopper");
    expect(tab.page.text).toContain("You can now sign in this way.");
    const other = await (await makePerson(server, "turing")).signIn();
    await other.open("/settings/sign-in");
    await other.press("Add Example Company");
    await logInAtProvider(other, "s-hopper");
    expect([other.page.status, other.page.text.includes("Another account of this hub")]).toEqual([
      409,
      true,
    ]);
    expect((await signInWith(server, "s-hopper")).page.text).toContain("signed in as hopper");
    await tab.open("/settings/sign-in");
    expect((await tab.press("Remove Example Company: s-hopper")).text).toContain(
      "You can no longer sign in",
    );
    const newcomer = await register(server, "newcomer");
    await newcomer.open("/settings/sign-in");
    const last = await newcomer.press("Remove Example Company: subject-of-newcomer");
    expect([last.status, last.text.includes("your only way to sign in")]).toEqual([409, true]);
    await newcomer.press("Set password", { "New password": password });
    expect((await newcomer.press("Remove Example Company: subject-of-newcomer")).text).toContain(
      "no longer",
    );
  });

  test("asks to confirm at the provider if the account has no password", async () => {
    const tab = await register(server, "lovelace");
    server.advanceClock(6 * 60_000);
    await tab.open("/settings/tokens");
    const asked = await tab.press("Create token", { Name: "CI" });
    expect([asked.status, asked.heading]).toEqual([401, "Confirm that it is you"]);
    expect(asked.html).not.toContain('type="password"');
    await tab.press("Confirm with Example Company");
    await logInAtProvider(tab, "subject-of-mallory");
    expect([tab.page.status, tab.page.text]).toEqual([
      403,
      expect.stringContaining("Confirm with another account."),
    ]);
    await tab.open("/settings/tokens");
    await tab.press("Create token", { Name: "CI of <word-games>" });
    await tab.press("Confirm with Example Company");
    const { form } = await server.hub.database
      .selectFrom("provider_visits")
      .where("purpose", "=", "confirm")
      .select("form")
      .executeTakeFirstOrThrow();
    expect(form).toMatch(/^[\w-]+\.\.[\w.-]+$/);
    await logInAtProvider(tab, "subject-of-lovelace");
    expect(tab.page.heading).toBe("Confirmed");
    expect((await tab.press("Continue")).text).toContain("Copy the token now");
    await tab.open("/settings/tokens");
    expect(tab.page.text).toContain("CI of <word-games>");
  });

  test("approves npm's web login of an account without a password", async () => {
    const tab = await register(server, "franklin");
    const login = await server.request("/-/v1/login", { method: "POST", body: {} });
    const { loginUrl, doneUrl } = (await login.json()) as Record<string, string>;
    await tab.open(new URL(loginUrl!).pathname);
    await tab.press("Approve");
    const { token } = (await (await fetch(doneUrl!)).json()) as { readonly token: string };
    const whoami = await server.request("/-/whoami", { as: { token } });
    expect(await whoami.json()).toEqual({ username: "franklin" });
  });
});

describe.each(["invite", "closed"])("a hub with HUB_REGISTRATION=%s", (registration) => {
  const server = sharedHub("server", async () => ({
    ...(await variables()),
    HUB_REGISTRATION: registration,
  }));
  beforeAll(() => openId.register(`${server.url}/sign-in/with/company/callback`));

  test("refuses an unknown account of a provider", async () => {
    const tab = await signInWith(server, "s-stranger");
    expect([tab.page.status, tab.page.heading]).toEqual([403, "Not allowed"]);
    expect(tab.page.text).toContain("No account of this hub signs in as s-stranger");
    expect((await tab.open("/sign-in/new-account")).status).toBe(400);
  });

  if (registration === "closed") return;
  test("creates the account of an invitation", async () => {
    const admin = await server.createUser("root-admin", { isAdmin: true });
    const { secret } = await createInvitation(
      server.hub,
      { ...admin, isAdmin: true },
      { isAdmin: false, days: 1 },
    );
    const tab = browser(server);
    await tab.open(`/invite/${secret}`);
    await tab.press(company);
    await logInAtProvider(tab, "s-invited");
    expect((await tab.press("Create account", { Name: "invited" })).heading).toBe("Account");
    expect((await browser(server).open(`/invite/${secret}`)).status).toBe(404);
  });
});
