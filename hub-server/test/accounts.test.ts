import * as fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";

import { createAccount } from "../src/identity/accounts/create-account.ts";
import { firstAccountLink } from "../src/identity/accounts/first-account.ts";
import { checkAccountName } from "../src/platform/names/account-name.ts";
import { packageName } from "../src/platform/names/package-name.ts";
import { browser } from "./support/browser.ts";
import { anyDatabase, databases, testHub } from "./support/hub.ts";
import { makePerson, password, type Person } from "./support/person.ts";
import { sharedHub } from "./support/shared-hub.ts";

describe.each(databases)("a new hub on the %s database", (kind) => {
  test("creates the first account as an administrator with a setup link that works once", async () => {
    await using server = await testHub(kind);
    const ofReplica = await firstAccountLink(server.hub);
    const link = await firstAccountLink(server.hub);
    expect(link).toMatch(/^\/invite\/[\w-]{43}$/);
    const tab = browser(server);
    expect((await tab.open(ofReplica ?? "")).heading).toBe("Create the first account");
    expect((await tab.open(link ?? "")).heading).toBe("Create the first account");
    const created = await tab.press("Create account", { Name: "ada", Password: password });
    expect([created.heading, created.text]).toEqual([
      "Account",
      expect.stringContaining("You are signed in as ada"),
    ]);
    const user = await server.hub.database
      .selectFrom("users")
      .select(["is_admin", "email"])
      .executeTakeFirstOrThrow();
    expect(user).toEqual({ is_admin: true, email: null });

    expect(await firstAccountLink(server.hub)).toBeUndefined();
    const again = browser(server);
    expect((await again.open(link ?? "")).status).toBe(404);
    expect((await again.open(ofReplica ?? "")).status).toBe(404);
    const events = await server.hub.database.selectFrom("events").select("type").execute();
    expect(events).toEqual([{ type: "user.created" }]);
  });

  test("the setup link expires after a day", async () => {
    await using server = await testHub(kind);
    const link = await firstAccountLink(server.hub);
    server.advanceClock(24 * 3_600_000);
    expect((await browser(server).open(link ?? "")).status).toBe(404);
  });

  test.each([1, 2])("creates one account when two use %i links at once", async (count) => {
    await using server = await testHub(kind);
    const links = [await firstAccountLink(server.hub), await firstAccountLink(server.hub)];
    const tabs = [browser(server), browser(server)];
    await Promise.all(tabs.map((tab, index) => tab.open(links[index % count] ?? "")));
    const pages = await Promise.all(
      tabs.map((tab, index) =>
        tab.press("Create account", { Name: `racer${"xy"[index] ?? ""}`, Password: password }),
      ),
    );
    expect(pages.map(({ heading }) => heading)).toContain("Account");
    const users = await server.hub.database.selectFrom("users").select("account_id").execute();
    expect(users).toHaveLength(1);
  });
});

describe.each(databases)("accounts on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_LIMITS: "off" });
  let admin: Person;

  beforeAll(async () => {
    admin = await makePerson(server, "warden", { isAdmin: true });
  });

  const invite = (as: Person, body: object = {}): Promise<Response> =>
    server.request("/api/v1/invitations", { method: "POST", as, body });
  const pathOf = async (response: Response): Promise<string> => {
    const { url } = (await response.json()) as { url: string };
    return new URL(url).pathname;
  };

  test("lists an administrator's invitation until it is used", async () => {
    const response = await invite(admin, { days: 3 });
    expect(response.status).toBe(201);
    const { url, ...invitation } = (await response.json()) as Record<string, unknown>;
    const list = async (): Promise<unknown> =>
      (
        (await (await server.request("/api/v1/invitations", { as: admin })).json()) as {
          items: unknown;
        }
      ).items;
    expect(await list()).toContainEqual(invitation);
    expect(JSON.stringify(await list())).not.toContain(String(url).split("/").at(-1));
    const tab = browser(server);
    await tab.open(new URL(String(url)).pathname);
    const fields = { Name: "invited", "E-mail (optional)": "I@example.com", Password: password };
    expect((await tab.press("Create account", fields)).heading).toBe("Account");
    expect(await list()).not.toContainEqual(invitation);
  });

  test("shows validation errors on the sign-up form and keeps the link valid", async () => {
    const tab = browser(server);
    const path = await pathOf(await invite(admin));
    await tab.open(path);
    const attempt = async (
      name: string,
      candidate: string,
      email = "",
    ): Promise<[number, string]> => {
      await tab.open(path);
      const fields = { Name: name, Password: candidate, "E-mail (optional)": email };
      const { status, text } = await tab.press("Create account", fields);
      return [status, text];
    };
    await makePerson(server, "charlotte");
    expect(await attempt("Not A Name", password)).toEqual([400, expect.stringContaining("scope")]);
    expect(await attempt("admin", password)).toEqual([
      400,
      expect.stringContaining("reserved for the hub"),
    ]);
    expect(await attempt("charlotte", password)).toEqual([
      409,
      expect.stringContaining("An account named charlotte exists"),
    ]);
    expect(await attempt("char1otte", password)).toEqual([
      403,
      expect.stringContaining("too similar"),
    ]);
    expect(await attempt("dorothy", "too short")).toEqual([
      400,
      expect.stringContaining("too short"),
    ]);
    expect(await attempt("dorothy", "dorothy dorothy")).toEqual([
      400,
      expect.stringContaining("contains the account's name"),
    ]);
    expect(await attempt("dorothy", password, "not an address")).toEqual([
      400,
      expect.stringContaining("e-mail"),
    ]);
    expect(await attempt("dorothy", password, "Charlotte@Example.com")).toEqual([
      409,
      expect.stringContaining("Another account has this e-mail address"),
    ]);
    expect((await attempt("dorothy", password))[0]).toBe(200);
  });

  test("lets only owners invite users to their organisation", async () => {
    const owner = await makePerson(server, "olive");
    const body = { organisation: "acme" };
    expect((await invite(owner)).status).toBe(403);
    expect((await invite(owner, body)).status).toBe(403);
    const created = await server.request("/api/v1/organisations", {
      method: "POST",
      as: owner,
      body: { name: "acme" },
    });
    expect(created.status).toBe(201);
    expect((await invite(owner, { ...body, isAdmin: true })).status).toBe(403);
    const outsider = await makePerson(server, "oscar");
    expect((await invite(outsider, body)).status).toBe(403);
    const tab = browser(server);
    await tab.open(await pathOf(await invite(owner, body)));
    await tab.press("Create account", { Name: "newhire", Password: password });
    const members = await server.request("/-/org/acme/user", { as: owner });
    expect(await members.json()).toEqual({ olive: "owner", newhire: "developer" });
  });

  test("rejects a revoked invitation", async () => {
    const tab = await admin.signIn();
    await tab.open("/settings/invitations");
    const created = await tab.press("Create invitation");
    const [path = ""] = /\/invite\/[\w-]{43}/.exec(created.html) ?? [];
    expect((await browser(server).open(path)).status).toBe(200);
    const { items } = (await (
      await server.request("/api/v1/invitations", { as: admin })
    ).json()) as {
      items: readonly { readonly id: string }[];
    };
    for (const { id } of items)
      await server.request(`/api/v1/invitations/${id}`, { method: "DELETE", as: admin });
    expect((await browser(server).open(path)).status).toBe(404);
  });

  test("suspending a user ends their sessions, tokens and logins", async () => {
    const victim = await makePerson(server, "victor");
    const tab = await victim.signIn();
    expect((await tab.open("/settings")).heading).toBe("Account");
    const set = (body: object): Promise<Response> =>
      server.request("/api/v1/users/victor", { method: "PATCH", as: admin, body });
    const disabled = await set({ isDisabled: true });
    expect([disabled.status, await disabled.json()]).toMatchObject([
      200,
      { name: "victor", isDisabled: true },
    ]);
    expect((await server.request("/-/whoami", { as: victim })).status).toBe(401);
    expect((await tab.open("/settings")).heading).toBe("Sign in");
    expect((await tab.press("Sign in", { Name: "victor", Password: password })).status).toBe(401);

    expect((await set({ isDisabled: false })).status).toBe(200);
    expect((await server.request("/-/whoami", { as: victim })).status).toBe(401);
    await tab.open("/sign-in");
    expect((await tab.press("Sign in", { Name: "victor", Password: password })).status).toBe(200);
  });

  test("lets only administrators change users, and keeps the last administrator", async () => {
    const user = await makePerson(server, "ursula");
    const set = (name: string, as: Person, body: object): Promise<Response> =>
      server.request(`/api/v1/users/${name}`, { method: "PATCH", as, body });
    expect((await set("warden", user, { isDisabled: true })).status).toBe(403);
    const last = await set("warden", admin, { isAdmin: false });
    expect([last.status, await last.json()]).toMatchObject([403, { code: "last-administrator" }]);
    expect((await set("nobody", admin, { isAdmin: true })).status).toBe(404);
    expect((await set("acme", admin, { isAdmin: true })).status).toBe(404);
    expect((await set("%00", admin, { isAdmin: true })).status).toBe(404);
    expect((await set("ursula", admin, { isAdmin: true })).status).toBe(200);
    expect((await set("warden", user, { isAdmin: false })).status).toBe(200);
    expect((await set("warden", user, { isAdmin: true })).status).toBe(200);
  });

  test("reads and changes a profile with npm's requests", async () => {
    const person = await makePerson(server, "philippa");
    const path = "/-/npm/v1/user";
    const read = async (): Promise<Record<string, unknown>> =>
      (await (await server.request(path, { as: person })).json()) as Record<string, unknown>;
    expect(await read()).toMatchObject({
      name: "philippa",
      email: "philippa@example.com",
      email_verified: false,
      fullname: "",
      tfa: false,
    });
    const set = (body: object): Promise<Response> =>
      server.request(path, { method: "POST", as: person, body });
    // `npm profile set fullname` sends every field, and null for the empty ones.
    const all = {
      email: "philippa@example.com",
      fullname: "Philippa",
      homepage: null,
      github: null,
    };
    expect((await set(all)).status).toBe(200);
    expect((await read())["fullname"]).toBe("Philippa");
    expect((await set({ github: "philippa" })).status).toBe(400);
    expect((await set({ fullname: "two\nlines" })).status).toBe(400);
    const wrong = { old: "wrong horse battery", new: "another long password" };
    expect((await set({ password: wrong })).status).toBe(401);
    const tab = await person.signIn();
    expect((await set({ password: { ...wrong, old: password } })).status).toBe(200);
    expect((await tab.open("/settings")).heading).toBe("Sign in");
    await tab.press("Sign in", { Name: "philippa", Password: "another long password" });
    expect(tab.page.heading).toBe("Account");
  });

  test("creates one account when equal names are requested concurrently", async () => {
    const { database, clock } = server.hub;
    const created = await Promise.allSettled(
      Array.from({ length: 4 }, () =>
        database
          .transaction()
          .execute((transaction) =>
            createAccount(transaction, { name: "together", kind: "user", now: clock() }),
          ),
      ),
    );
    expect(created.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const each of created)
      if (each.status === "rejected") expect(each.reason).toMatchObject({ code: "name-taken" });
  });
});

test("rejects invitations when registration is closed", async () => {
  await using server = await testHub(anyDatabase, { HUB_REGISTRATION: "closed" });
  const admin = await makePerson(server, "warden", { isAdmin: true });
  const response = await server.request("/api/v1/invitations", {
    method: "POST",
    as: admin,
    body: {},
  });
  expect(response.status).toBe(403);
  expect((await browser(server).open("/register")).status).toBe(403);
});

test("creates an account on the page that npm opens when registration is open", async () => {
  await using server = await testHub(anyDatabase, { HUB_REGISTRATION: "open" });
  const asked = await server.request("/-/v1/login", { method: "POST", body: { create: true } });
  const { loginUrl, doneUrl } = (await asked.json()) as { loginUrl: string; doneUrl: string };
  const { pathname, search } = new URL(loginUrl);
  const tab = browser(server);
  expect((await tab.open(`${pathname}${search}`)).heading).toBe("Create an account");
  await tab.press("Create account", { Name: "grace", Password: password });
  expect(tab.page.heading).toBe("Approve this login?");
  await tab.press("Approve");
  expect((await fetch(doneUrl)).status).toBe(200);
});

test("every account name is a valid package scope", () => {
  const letters = fc.constantFrom(..."abz019-._@/A ~é".split(""));
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 70 }), (name) => {
      try {
        checkAccountName(name);
      } catch {
        return;
      }
      expect(packageName(`@${name}/x`)).toEqual({ name: `@${name}/x`, scope: name, bare: "x" });
    }),
    { numRuns: 2000 },
  );
});
