import { describe, expect, test } from "vitest";

import { databases } from "./support/hub.ts";
import { makePerson, password, type Person, enableSecondFactor } from "./support/person.ts";
import { sharedHub } from "./support/shared-hub.ts";

const profile = "/-/npm/v1/user";

describe.each(databases)("on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_LIMITS: "off" });
  let count = 0;

  const names = [
    "ada",
    "grace",
    "barbara",
    "hedy",
    "radia",
    "katherine",
    "margaret",
    "frances",
    "joan",
    "jean",
    "sophie",
    "lynn",
  ];
  const newPerson = (): Promise<Person> => makePerson(server, names[count++] ?? "");

  /** Changes the full name, which requires the second factor. */
  function change(as: Person, headers: Record<string, string> = {}): Promise<Response> {
    return server.request(profile, { method: "POST", as, body: { fullname: "Somebody" }, headers });
  }

  async function expectWrongCode(response: Response): Promise<void> {
    expect([response.status, response.headers.get("www-authenticate")]).toEqual([401, "OTP"]);
    expect(await response.json()).toMatchObject({ code: "one-time-password" });
  }

  test("a change does not need a code without a second factor", async () => {
    expect((await change(await newPerson())).status).toBe(200);
  });

  test("a change needs a code, and each code works for one command", async () => {
    const person = await newPerson();
    const app = await enableSecondFactor(server, person);
    await expectWrongCode(await change(person));
    await expectWrongCode(await change(person, { "npm-otp": "000000" }));
    const code = app.code();
    expect((await change(person, { "npm-otp": code })).status).toBe(200);
    // `npm unpublish` sends one code with several requests.
    expect((await change(person, { "npm-otp": code })).status).toBe(200);
    const { token } = (await (
      await server.request(`/-/user/org.couchdb.user:${person.name}`, {
        method: "PUT",
        body: { name: person.name, password },
        headers: { "npm-otp": app.code() },
      })
    ).json()) as { token: string };
    await expectWrongCode(await change({ ...person, token }, { "npm-otp": code }));
    server.advanceClock(61_000);
    await expectWrongCode(await change(person, { "npm-otp": code }));
  });

  test("accepts a code in one of several concurrent logins", async () => {
    const person = await newPerson();
    const app = await enableSecondFactor(server, person);
    const code = app.code();
    const log = (): Promise<Response> =>
      server.request(`/-/user/org.couchdb.user:${person.name}`, {
        method: "PUT",
        body: { name: person.name, password },
        headers: { "npm-otp": code },
      });
    const responses = await Promise.all([log(), log(), log()]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 401, 401]);
  });

  test("a password login needs a code", async () => {
    const person = await newPerson();
    await enableSecondFactor(server, person);
    await expectWrongCode(
      await server.request(`/-/user/org.couchdb.user:${person.name}`, {
        method: "PUT",
        body: { name: person.name, password },
      }),
    );
  });

  test("accepts a recovery code once", async () => {
    const person = await newPerson();
    const { recoveryCodes } = await enableSecondFactor(server, person);
    expect(recoveryCodes).toHaveLength(10);
    const [code = ""] = recoveryCodes;
    expect((await change(person, { "npm-otp": code.toUpperCase() })).status).toBe(200);
    server.advanceClock(61_000);
    await expectWrongCode(await change(person, { "npm-otp": code }));
    const stored = await server.hub.database
      .selectFrom("recovery_codes")
      .where("user_id", "=", person.id)
      .select("code_hash")
      .execute();
    expect(stored).toHaveLength(9);
    expect(JSON.stringify(stored)).not.toContain(recoveryCodes[1]);
  });

  test("npm sets it up, and it is pending until a correct code", async () => {
    const person = await newPerson();
    const post = async (
      tfa: unknown,
    ): Promise<{ status: number; tfa?: unknown; code?: string }> => {
      const response = await server.request(profile, { method: "POST", as: person, body: { tfa } });
      return { ...((await response.json()) as object), status: response.status };
    };
    const tfa = async (): Promise<unknown> =>
      ((await (await server.request(profile, { as: person })).json()) as { tfa: unknown }).tfa;
    expect(await tfa()).toBe(false);
    expect(await post({ password: "wrong horse battery", mode: "auth-and-writes" })).toMatchObject({
      status: 401,
    });
    expect(await post({ password, mode: "auth-only" })).toMatchObject({
      status: 400,
      code: "second-factor-mode",
    });
    expect(await post(["000000"])).toMatchObject({ status: 409, code: "second-factor-not-begun" });
    const setup = await post({ password, mode: "auth-and-writes" });
    expect(setup.tfa).toMatch(/^otpauth:\/\/totp\/.*secret=[A-Z2-7]{32}/);
    expect(await tfa()).toEqual({ mode: "auth-and-writes", pending: true });
    expect((await change(person)).status).toBe(200);
    expect(await post(["000000"])).toMatchObject({ status: 400, code: "wrong-code" });
    expect(await tfa()).toEqual({ mode: "auth-and-writes", pending: true });
    expect((await post({ password, mode: "disable" })).tfa).toBe(false);
  });

  test("requires the password and a code to disable it", async () => {
    const person = await newPerson();
    const app = await enableSecondFactor(server, person);
    const disable = (
      currentPassword: string,
      headers: Record<string, string> = {},
    ): Promise<Response> =>
      server.request(profile, {
        method: "POST",
        as: person,
        body: { tfa: { password: currentPassword, mode: "disable" } },
        headers,
      });
    expect((await disable("wrong horse battery", { "npm-otp": app.code() })).status).toBe(401);
    await expectWrongCode(await disable(password));
    expect(await (await disable(password, { "npm-otp": app.code() })).json()).toMatchObject({
      tfa: false,
    });
    expect((await change(person)).status).toBe(200);
  });

  interface Web {
    readonly authUrl: string;
    readonly doneUrl: string;
  }
  const web = { "npm-auth-type": "web", "npm-command": "publish" };

  test("an approval in the browser authorizes that token", async () => {
    const person = await newPerson();
    const app = await enableSecondFactor(server, person);
    const tab = await person.signIn();
    await tab.press("Sign in", { Code: app.code() });
    server.advanceClock(5 * 60_000);
    const response = await change(person, web);
    expect(response.headers.get("www-authenticate")).toBe("OTP");
    const { authUrl, doneUrl } = (await response.json()) as Web;

    const page = await tab.open(new URL(authUrl).pathname);
    expect(page.heading).toBe("Approve this change?");
    expect(page.text).toContain(`publish (POST ${profile})`);
    expect((await tab.press("Approve", { Code: "000000" })).text).toContain("This code is wrong");
    expect((await fetch(doneUrl)).status).toBe(202);
    expect((await tab.press("Approve", { Code: app.code() })).heading).toBe("Approved");

    const { token: pass } = (await (await fetch(doneUrl)).json()) as { token: string };
    expect((await fetch(doneUrl)).status).toBe(404);
    const other = await makePerson(server, `not-${person.name}`);
    await enableSecondFactor(server, other);
    await expectWrongCode(await change(other, { "npm-otp": pass }));
    expect((await change(person, { "npm-otp": pass })).status).toBe(200);
    server.advanceClock(61_000);
    await expectWrongCode(await change(person, { "npm-otp": pass }));
  });

  test("does not ask for a code again shortly after a sign-in with one", async () => {
    const person = await newPerson();
    const app = await enableSecondFactor(server, person);
    const { authUrl, doneUrl } = (await (await change(person, web)).json()) as Web;
    const tab = await person.signIn();
    await tab.press("Sign in", { Code: app.code() });
    await tab.open(new URL(authUrl).pathname);
    expect((await tab.press("Approve")).heading).toBe("Approved");
    expect((await fetch(doneUrl)).status).toBe(200);
  });

  test("rejects another user's approval and a denied change", async () => {
    const person = await newPerson();
    const app = await enableSecondFactor(server, person);
    const { authUrl, doneUrl } = (await (await change(person, web)).json()) as Web;
    const stranger = await makePerson(server, `stranger-to-${person.name}`);
    const theirs = await stranger.signIn();
    expect((await theirs.open(new URL(authUrl).pathname)).status).toBe(404);
    const tab = await person.signIn();
    await tab.press("Sign in", { Code: app.code() });
    await tab.open(new URL(authUrl).pathname);
    expect((await tab.press("Deny")).heading).toBe("Denied");
    expect((await fetch(doneUrl)).status).toBe(403);
  });

  test("the first of two sign-in steps does not create a session", async () => {
    const person = await newPerson();
    const app = await enableSecondFactor(server, person);
    const tab = await person.signIn();
    expect(tab.page.heading).toBe("Second factor");
    expect((await tab.open("/settings/tokens")).heading).toBe("Sign in");
    await tab.open("/sign-in/code");
    expect((await tab.press("Sign in", { Code: "000000" })).status).toBe(401);
    expect((await tab.press("Sign in", { Code: app.code() })).heading).toBe("Account");
  });

  test("the page sets it up with a QR code, shows recovery codes once and disables it", async () => {
    const person = await newPerson();
    const tab = await person.signIn();
    await tab.open("/settings/second-factor");
    const scan = await tab.press("Set up");
    expect(scan.html).toContain("<svg");
    const [secret = ""] = /(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}/.exec(scan.text) ?? [];
    const { TOTP } = await import("otpauth");
    const app = new TOTP({ secret: secret.replaceAll(" ", "") });
    const code = (): string => {
      server.advanceClock(30_000);
      return app.generate({ timestamp: server.hub.clock().getTime() });
    };
    const codes = await tab.press("Confirm", { Code: code() });
    expect(codes.text.match(/\b[2-9a-z]{4}(?:-[2-9a-z]{4}){2}\b/g)).toHaveLength(10);
    const after = await tab.open("/settings/second-factor");
    expect(after.text).not.toContain(secret);
    expect((await tab.press("Disable", { Code: "000000" })).status).toBe(401);
    const disabled = await tab.press("Disable", { Code: code() });
    expect(disabled.text).toContain("The second factor is disabled.");
  });
});
