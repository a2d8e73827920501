import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";

import { redirectPath } from "../src/identity/sessions/visitor.ts";
import { createToken } from "../src/identity/tokens/tokens.ts";
import { type Browser, browser } from "./support/browser.ts";
import { anyDatabase, databases, testHub } from "./support/hub.ts";
import { makePerson, password, type Person } from "./support/person.ts";
import { sharedHub } from "./support/shared-hub.ts";

const day = 86_400_000;
const cookie = "envs-session";

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_LIMITS: "off" });
  let ada: Person;

  beforeAll(async () => {
    ada = await makePerson(server, "ada");
  });

  const isSignedIn = async (tab: Browser): Promise<boolean> =>
    (await tab.open("/settings")).heading === "Account";

  test("sign-in creates a new secret that the database does not contain", async () => {
    const tab = browser(server);
    await tab.open("/sign-in");
    const before = tab.cookies.get(cookie);
    const page = await tab.press("Sign in", { Name: " Ada ", Password: password });
    expect(page.heading).toBe("Account");
    const secret = tab.cookies.get(cookie) ?? "";
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(secret).not.toBe(before);
    const rows = await server.hub.database.selectFrom("sessions").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  test("a new sign-in ends the previous session", async () => {
    const tab = await ada.signIn();
    const before = tab.cookies.get(cookie) ?? "";
    await tab.open("/settings");
    const { html } = tab.page;
    const [, form = ""] = /name="form" value="([^"]+)"/.exec(html) ?? [];
    await tab.send("/sign-in", { fields: { form, name: "ada", password } });
    expect(await isSignedIn(tab)).toBe(true);
    const old = browser(server);
    (old.cookies as Map<string, string>).set(cookie, before);
    expect(await isSignedIn(old)).toBe(false);
  });

  test("a session ends after an idle week, and after a month at the latest", async () => {
    const [idle, busy] = [await ada.signIn(), await ada.signIn()];
    for (let week = 0; week < 4; week += 1) {
      server.advanceClock(6 * day);
      expect(await isSignedIn(busy)).toBe(true);
    }
    expect(await isSignedIn(idle)).toBe(false);
    server.advanceClock(6 * day);
    expect(await isSignedIn(busy)).toBe(false);
  });

  test("sign-out invalidates the cookie", async () => {
    const tab = await ada.signIn();
    const copy = browser(server);
    (copy.cookies as Map<string, string>).set(cookie, tab.cookies.get(cookie) ?? "");
    await tab.open("/settings");
    expect((await tab.press("Sign out")).heading).toBe("Sign in");
    expect(await isSignedIn(copy)).toBe(false);
  });

  test("lists sessions and ends another one", async () => {
    const grace = await makePerson(server, "grace");
    const [here, there] = [await grace.signIn(), await grace.signIn()];
    const page = await here.open("/settings/sessions");
    expect(page.text).toContain("Firefox on Linux IP address 127.0.0.1");
    expect(page.text).toContain("This browser");
    await here.press("End the session of Firefox on Linux");
    expect(await isSignedIn(there)).toBe(false);
    expect(await isSignedIn(here)).toBe(true);
  });

  test("a password change ends the other sessions and the tokens", async () => {
    const hedy = await makePerson(server, "hedy");
    const whoami = async () => (await server.request("/-/whoami", { as: hedy })).status;
    expect(await whoami()).toBe(200);
    const [here, there] = [await hedy.signIn(), await hedy.signIn()];
    await here.open("/settings");
    const wrong = {
      "Current password": "wrong horse battery",
      "New password": "a new long password",
    };
    expect((await here.press("Change password", wrong)).status).toBe(401);
    await here.press("Change password", { ...wrong, "Current password": password });
    expect(here.page.text).toContain("your tokens are revoked");
    expect([await isSignedIn(here), await isSignedIn(there)]).toEqual([true, false]);
    expect(await whoami()).toBe(401);
  });

  test("a password change keeps the tokens if the user chooses so", async () => {
    const mary = await makePerson(server, "mary");
    const [here, there] = [await mary.signIn(), await mary.signIn()];
    await here.open("/settings");
    await here.press("Change password", {
      "Current password": password,
      "New password": "a new long password",
      "Keep my tokens valid": "yes",
    });
    expect(await isSignedIn(there)).toBe(false);
    expect((await server.request("/-/whoami", { as: mary })).status).toBe(200);
  });

  test("npm's password change revokes all tokens but its own", async () => {
    const jean = await makePerson(server, "jean");
    const tab = await jean.signIn();
    const { secret } = await createToken(server.hub.database, {
      userId: jean.id,
      name: "stolen",
      now: server.hub.clock(),
    });
    const response = await server.request("/-/npm/v1/user", {
      method: "POST",
      as: jean,
      body: { password: { old: password, new: "a new long password" } },
    });
    expect(response.status).toBe(200);
    expect((await server.request("/-/whoami", { as: jean })).status).toBe(200);
    expect((await server.request("/-/whoami", { as: { token: secret } })).status).toBe(401);
    expect(await isSignedIn(tab)).toBe(false);
  });

  test("accepts a form only from the same browser and origin", async () => {
    const tab = await ada.signIn();
    await tab.open("/settings");
    const [, form = ""] = /name="form" value="([^"]+)"/.exec(tab.page.html) ?? [];
    const change = async (fields: Record<string, string>, headers: Record<string, string> = {}) =>
      (
        await tab.send("/settings/profile", {
          fields: { full_name: "Mallory", ...fields },
          headers,
        })
      ).status;
    const stranger = browser(server);
    await stranger.open("/sign-in");
    const [, foreign = ""] = /name="form" value="([^"]+)"/.exec(stranger.page.html) ?? [];
    expect(await change({})).toBe(403);
    expect(await change({ form: foreign })).toBe(403);
    expect(await change({ form }, { "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await change({ form }, { "sec-fetch-site": "same-site" })).toBe(403);
    const old = { "sec-fetch-site": "", origin: "http://evil.example" };
    expect(await change({ form }, old)).toBe(403);
    const { fullname } = (await (await server.request("/-/npm/v1/user", { as: ada })).json()) as {
      fullname: string;
    };
    expect(fullname).toBe("");
    expect(await change({ form }, { origin: server.url })).toBe(200);
  });

  test("rejects a sign-in form from another site", async () => {
    const tab = browser(server);
    const page = await tab.send("/sign-in", { fields: { name: "ada", password } });
    expect(page.status).toBe(403);
    expect(await isSignedIn(tab)).toBe(false);
  });

  test("registry routes accept neither cookies nor forms", async () => {
    const tab = await ada.signIn();
    const headers = { cookie: `${cookie}=${tab.cookies.get(cookie) ?? ""}` };
    const responses = await Promise.all(
      ["/-/whoami", "/-/npm/v1/user", "/-/npm/v1/tokens", "/api/v1/invitations"].map((path) =>
        server.request(path, { headers }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    const form = await fetch(`${server.url}/-/npm/v1/tokens`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
      body: "password=x",
    });
    expect([form.status, form.headers.get("content-type")]).toEqual([
      415,
      expect.stringContaining("application/json"),
    ]);
    for (const path of ["/-/ping", "/-/whoami"])
      expect((await server.request(path)).headers.get("set-cookie")).toBeNull();
  });

  test("redirects after sign-in only to paths on the hub", async () => {
    const tab = browser(server);
    await tab.open("/sign-in?next=https%3A%2F%2Fevil.example%2F");
    expect((await tab.press("Sign in", { Name: "ada", Password: password })).path).toBe(
      "/settings",
    );
    const other = browser(server);
    await other.open("/sign-in?next=%2Fsettings%2Ftokens");
    await other.press("Sign in", { Name: "ada", Password: password });
    expect(other.page.path).toBe("/settings/tokens");
  });
});

test("cookies are host-only, HttpOnly, SameSite and secure over HTTPS", async () => {
  await using plain = await testHub(anyDatabase);
  const [line] = (await plain.request("/sign-in")).headers.getSetCookie();
  expect(line).toMatch(/^envs-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
  await using secure = await testHub(anyDatabase, { HUB_TRUST_PROXY: "127.0.0.1" });
  const response = await secure.request("/sign-in", { headers: { "x-forwarded-proto": "https" } });
  expect(response.headers.getSetCookie()[0]).toMatch(
    /^__Host-envs-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  );
  expect(response.headers.get("strict-transport-security")).toContain("max-age=");
});

test("accepts only paths on the hub as redirect target", () => {
  for (const target of [
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "\\\\evil.example",
    "javascript:alert(1)",
    "/a/..//evil.example",
    "",
    undefined,
    ["/settings"],
  ])
    expect([target, redirectPath(target)]).toEqual([target, undefined]);
  expect(redirectPath("/approve/BCDF-GHJK?x=1")).toBe("/approve/BCDF-GHJK?x=1");
  const piece = fc.constantFrom(
    "/",
    "\\",
    "//",
    "..",
    ".",
    "@",
    ":",
    "http:",
    "evil.example",
    "\t",
    "\n",
    "?",
    "#",
    "%2f",
    "a",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const path = redirectPath(pieces.join(""));
      if (path !== undefined)
        expect(new URL(path, "https://hub.example.com/sign-in").origin).toBe(
          "https://hub.example.com",
        );
    }),
    { numRuns: 2000 },
  );
});
