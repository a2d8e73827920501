import { beforeAll, describe, expect, test } from "vitest";

import { passwordStatistics } from "../src/identity/credentials/password.ts";
import { browser } from "./support/browser.ts";
import { anyDatabase, databases, testHub } from "./support/hub.ts";
import { makePerson, password, type Person } from "./support/person.ts";
import { sharedHub } from "./support/shared-hub.ts";

interface Login {
  readonly loginUrl: string;
  readonly doneUrl: string;
  readonly code: string;
}

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_LIMITS: "off" });
  let ada: Person;

  beforeAll(async () => {
    ada = await makePerson(server, "ada");
  });

  async function startLogin(headers: Record<string, string> = {}): Promise<Login> {
    const response = await server.request("/-/v1/login", { method: "POST", body: {}, headers });
    expect(response.status).toBe(200);
    return (await response.json()) as Login;
  }

  const npm = { "user-agent": "npm/11.19.1 node/v24.21.0 linux x64 workspaces/false" };
  const pathOf = (url: string): string => new URL(url).pathname;
  const poll = (login: Login): Promise<Response> => fetch(login.doneUrl);

  test("returns the token of an approved login once", async () => {
    const login = await startLogin(npm);
    const pending = await poll(login);
    expect([pending.status, pending.headers.get("retry-after")]).toEqual([202, "2"]);

    const tab = await ada.signIn();
    const page = await tab.open(pathOf(login.loginUrl));
    expect(login.loginUrl.endsWith(`/${login.code}`)).toBe(true);
    expect(page.text).toContain(login.code);
    expect(page.text).toContain("npm 11.19.1 on Linux");
    expect(page.text).toContain("127.0.0.1");
    expect((await tab.press("Approve")).heading).toBe("Approved");

    const done = await poll(login);
    const { token } = (await done.json()) as { readonly token: string };
    expect(done.status).toBe(200);
    const whoami = await server.request("/-/whoami", { as: { token } });
    expect(await whoami.json()).toEqual({ username: "ada" });
    const again = await poll(login);
    expect([again.status, await again.json()]).toMatchObject([404, { code: "approval-over" }]);
  });

  test("returns the token to one of several concurrent polls", async () => {
    const login = await startLogin();
    const tab = await ada.signIn();
    await tab.open(pathOf(login.loginUrl));
    await tab.press("Approve");
    const responses = await Promise.all(Array.from({ length: 5 }, () => poll(login)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404]);
  });

  test("redirects to sign-in and back to the login", async () => {
    const login = await startLogin();
    const tab = browser(server);
    expect((await tab.open(pathOf(login.loginUrl))).heading).toBe("Sign in");
    const page = await tab.press("Sign in", { Name: "ada", Password: password });
    expect([page.path, page.heading]).toEqual([pathOf(login.loginUrl), "Approve this login?"]);
  });

  test("reports a denied login to the client", async () => {
    const login = await startLogin();
    const tab = await ada.signIn();
    await tab.open(pathOf(login.loginUrl));
    expect((await tab.press("Deny")).heading).toBe("Denied");
    const denied = await poll(login);
    expect([denied.status, await denied.json()]).toMatchObject([403, { code: "forbidden" }]);
  });

  test("returns 404 for a login after five minutes", async () => {
    const login = await startLogin();
    server.advanceClock(5 * 60_000);
    expect((await poll(login)).status).toBe(404);
    const tab = await ada.signIn();
    const page = await tab.open(pathOf(login.loginUrl));
    expect([page.status, page.text]).toEqual([
      404,
      expect.stringContaining("No pending request has this code"),
    ]);
  });

  test("rejects a second decision about an approval", async () => {
    const login = await startLogin();
    const [one, other] = [await ada.signIn(), await ada.signIn()];
    await one.open(pathOf(login.loginUrl));
    await other.open(pathOf(login.loginUrl));
    await one.press("Deny");
    expect((await other.press("Approve")).status).toBe(404);
    expect((await poll(login)).status).toBe(403);
  });

  test("does not show the polling secret on the page, and stores only its hash", async () => {
    const login = await startLogin();
    const secret = login.doneUrl.split("/").at(-1) ?? "";
    const tab = await ada.signIn();
    expect((await tab.open(pathOf(login.loginUrl))).html).not.toContain(secret);
    const rows = await server.hub.database.selectFrom("approvals").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  function putUser(name: string, candidate: string, headers?: Record<string, string>) {
    return server.request(`/-/user/org.couchdb.user:${encodeURIComponent(name)}`, {
      method: "PUT",
      body: {
        _id: `org.couchdb.user:${name}`,
        name,
        password: candidate,
        type: "user",
        roles: [],
        date: new Date().toISOString(),
      },
      ...(headers !== undefined && { headers }),
    });
  }

  test("returns a token for the right password", async () => {
    const response = await putUser("ada", password);
    const body = (await response.json()) as { readonly ok: true; readonly token: string };
    expect([response.status, body.ok]).toEqual([201, true]);
    const whoami = await server.request("/-/whoami", { as: body });
    expect(await whoami.json()).toEqual({ username: "ada" });
  });

  test("returns the same response after the same work for an unknown name and a wrong password", async () => {
    const before = passwordStatistics().done;
    const wrong = await putUser("ada", "wrong horse battery");
    const afterWrong = passwordStatistics().done;
    const unknown = await putUser("nobody-knows", "wrong horse battery");
    const afterUnknown = passwordStatistics().done;
    const odd = await putUser("No such Name\u0000", "wrong horse battery");
    expect([afterWrong - before, afterUnknown - afterWrong]).toEqual([1, 1]);
    expect(passwordStatistics().done - afterUnknown).toBe(1);
    const responses = await Promise.all(
      [wrong, unknown, odd].map(async (response) => [
        response.status,
        await response.text(),
        [...response.headers.keys()].sort(),
      ]),
    );
    expect(responses[1]).toEqual(responses[0]);
    expect(responses[2]).toEqual(responses[0]);
    expect(responses[0]?.[0]).toBe(401);
  });

  test("does not create an account by password login when accounts need an invitation", async () => {
    expect((await putUser("newcomer", "a long enough password")).status).toBe(401);
    expect((await server.request("/-/user/org.couchdb.user:newcomer")).status).toBe(404);
  });

  test("rejects a URL and a body with different user names", async () => {
    const response = await server.request("/-/user/org.couchdb.user:ada", {
      method: "PUT",
      body: { name: "grace", password },
    });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { code: "name-mismatch" },
    ]);
  });

  test("a token can only log itself out", async () => {
    const { token } = (await (await putUser("ada", password)).json()) as { token: string };
    const another = await server.request(`/-/user/token/${ada.token}`, {
      method: "DELETE",
      as: { token },
    });
    expect(another.status).toBe(403);
    const own = await server.request(`/-/user/token/${token}`, { method: "DELETE", as: { token } });
    expect(own.status).toBe(200);
    expect((await server.request("/-/whoami", { as: { token } })).status).toBe(401);
    expect((await server.request("/-/whoami", { as: ada })).status).toBe(200);
  });

  test("returns a user, with the e-mail address only to the user and administrators", async () => {
    const path = "/-/user/org.couchdb.user:ada";
    const admin = await makePerson(server, "warden", { isAdmin: true });
    const profiles = await Promise.all(
      [undefined, ada, admin].map(async (as) => {
        const response = await server.request(path, as === undefined ? {} : { as });
        return await response.json();
      }),
    );
    const known = { _id: "org.couchdb.user:ada", name: "ada" };
    expect(profiles[0]).toEqual(known);
    expect(profiles[1]).toEqual({ ...known, email: "ada@example.com" });
    expect(profiles[2]).toEqual({ ...known, email: "ada@example.com" });
  });
});

test("npm creates the account when registration is open", async () => {
  await using server = await testHub(anyDatabase, { HUB_REGISTRATION: "open" });
  const put = (candidate: string): Promise<Response> =>
    server.request("/-/user/org.couchdb.user:grace", {
      method: "PUT",
      body: { name: "grace", password: candidate, email: "grace@example.com" },
    });
  const weak = await put("short");
  expect([weak.status, await weak.json()]).toMatchObject([400, { code: "password-weak" }]);
  expect((await put(password)).status).toBe(201);
  expect((await put("another long password")).status).toBe(401);
  const created = await server.hub.database
    .selectFrom("events")
    .where("type", "=", "user.created")
    .select(["actor", "subject"])
    .execute();
  expect(created).toEqual([{ actor: "grace", subject: "grace" }]);
});
