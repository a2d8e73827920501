import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { readProfile } from "../src/identity/accounts/profile.ts";
import { readSettings } from "../src/platform/config/read-settings.ts";
import { leaseMails } from "../src/platform/mail/outbox.ts";
import { type Browser, browser } from "./support/browser.ts";
import { type MailServer, startMailServer } from "./support/mail-server.ts";
import { makePerson, password, type Person } from "./support/person.ts";
import { sharedHub } from "./support/shared-hub.ts";

const minute = 60_000;
let smtp: MailServer;
const server = sharedHub("server", async () => {
  smtp = await startMailServer();
  const port = String(await freePort());
  return {
    HUB_LIMITS: "off",
    HUB_PORT: port,
    HUB_HOST: "localhost",
    HUB_URL: `http://localhost:${port}`,
    HUB_REGISTRATION: "open",
    HUB_SMTP_URL: `smtp://localhost:${smtp.port}`,
    HUB_MAIL_FROM: "Envs <hub@example.com>",
  };
});
let ada: Person;
beforeAll(async () => {
  ada = await makePerson(server, "ada");
  await verify(await ada.signIn(), "ada@example.com");
});
afterAll(() => smtp[Symbol.asyncDispose]());

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "localhost");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** The next mail to an address that contains a text. Each is returned once. */
async function mailTo(address: string, containing: string): Promise<string> {
  return await vi.waitFor(
    () => {
      const index = smtp.mails.findIndex(
        ({ to, text }) => to === address && text.includes(containing),
      );
      const [mail] = index === -1 ? [] : smtp.mails.splice(index, 1);
      if (mail === undefined) throw new Error(`No mail to ${address} contains ${containing}.`);
      return mail.text;
    },
    { timeout: 120_000 },
  );
}

async function linkTo(address: string, path: string): Promise<string> {
  const text = await mailTo(address, `/${path}/`);
  const [link = ""] = new RegExp(`http://[^/]+/${path}/[\\w-]{43}`).exec(text) ?? [];
  expect(link).toMatch(`${server.url}/`);
  return new URL(link).pathname;
}

async function verify(tab: Browser, address: string): Promise<void> {
  await tab.open(await linkTo(address, "verify"));
  expect((await tab.press("Verify")).text).toContain("Your e-mail address is verified");
}

async function requestReset(email: string): Promise<Browser> {
  const tab = browser(server);
  await tab.open("/sign-in/forgot");
  await tab.press("Send the link", { "E-mail": email });
  return tab;
}

test("verifies an address in a session of its user only", async () => {
  const grace = await makePerson(server, "grace");
  const link = await linkTo("grace@example.com", "verify");
  const other = await ada.signIn();
  await other.open(link);
  expect((await other.press("Verify")).status).toBe(404);
  expect((await browser(server).open(link)).heading).toBe("Sign in");
  const tab = await grace.signIn();
  await tab.open(link);
  await tab.press("Verify");
  expect(await readProfile(server.hub.database, grace.id)).toMatchObject({ email_verified: true });
  await tab.open("/settings");
  await tab.press("Save", { "E-mail (optional)": "grace.h@example.com" });
  expect(await mailTo("grace@example.com", "address was changed")).toContain("grace on localhost");
  expect(await readProfile(server.hub.database, grace.id)).toMatchObject({ email_verified: false });
  await verify(tab, "grace.h@example.com");
});

test("resets a password once, ends all sessions and tokens, and notifies the user", async () => {
  const eve = await makePerson(server, "eve");
  const session = await eve.signIn();
  await verify(session, "eve@example.com");
  const asked = await requestReset("Eve@Example.com");
  const unknown = await requestReset("nobody@example.com");
  expect(asked.page.text).toBe(unknown.page.text);
  const link = await linkTo("eve@example.com", "reset");
  const tab = browser(server);
  await tab.open(link);
  const weak = await tab.press("Change password", { "New password": "aaaaaaaaaaaa" });
  expect(weak.status).toBe(400);
  const done = await tab.press("Change password", { "New password": "four other random words" });
  expect(done.heading).toBe("Password changed");
  expect((await tab.open(link)).status).toBe(404);
  expect((await session.open("/settings")).heading).toBe("Sign in");
  expect((await server.request("/-/whoami", { as: eve })).status).toBe(401);
  await mailTo("eve@example.com", "password was changed");
  await tab.open("/sign-in");
  expect((await tab.press("Sign in", { Name: "eve", Password: password })).status).toBe(401);
  const fields = { Name: "eve", Password: "four other random words" };
  expect((await tab.press("Sign in", fields)).heading).toBe("Account");
});

test("does not send a link to an unverified address, and links expire after an hour", async () => {
  await makePerson(server, "mallory");
  await linkTo("mallory@example.com", "verify");
  await requestReset("mallory@example.com");
  await requestReset("ada@example.com");
  const link = await linkTo("ada@example.com", "reset");
  expect(smtp.mails.filter(({ to }) => to === "mallory@example.com")).toEqual([]);
  server.advanceClock(61 * minute);
  expect((await browser(server).open(link)).status).toBe(404);
});

test("links point to the hub's own URL, whatever host the request names", async () => {
  const tab = browser(server);
  await tab.open("/sign-in/forgot");
  const [, form = ""] = /name="form" value="([^"]*)"/.exec(tab.page.html) ?? [];
  const fields = { form, email: "ada@example.com" };
  await tab.send("/sign-in/forgot", { fields, headers: { "x-forwarded-host": "evil.example" } });
  expect(await linkTo("ada@example.com", "reset")).toMatch(/^\/reset\//);
});

test("notifies of new tokens", async () => {
  const tab = await ada.signIn();
  await tab.open("/settings/tokens");
  await tab.press("Create token", { Name: "laptop" });
  expect(await mailTo("ada@example.com", "token was created")).toContain("“laptop”");
});

test("retries while the server is down, and after a hub that was killed", async () => {
  const { database, clock } = server.hub;
  const { port } = smtp;
  await smtp[Symbol.asyncDispose]();
  await requestReset("ada@example.com");
  await vi.waitFor(
    async () => {
      const mail = await database.selectFrom("mails").selectAll().executeTakeFirstOrThrow();
      expect(mail.error).not.toBeNull();
    },
    { timeout: 120_000 },
  );
  smtp = await startMailServer(port);
  server.advanceClock(minute);
  await linkTo("ada@example.com", "reset");
  // Another hub leases the next mail, and is killed before it sends it.
  const mail = { id: crypto.randomUUID(), kind: "reset", recipient: "ada@example.com" } as const;
  const later = new Date(clock().getTime() + minute);
  const row = { ...mail, user_id: ada.id, detail: "{}", created_at: clock(), next_at: later };
  await database.insertInto("mails").values(row).execute();
  expect(await leaseMails(database, { limit: 9, now: later })).toMatchObject([{ id: mail.id }]);
  server.advanceClock(7 * minute);
  await linkTo("ada@example.com", "reset");
  await vi.waitFor(
    async () => expect(await database.selectFrom("mails").selectAll().execute()).toEqual([]),
    { timeout: 120_000 },
  );
});

test("gives up a mail that the server rejects, and shows it in the metrics", async () => {
  smtp.rejected.add("ada@example.com");
  await requestReset("ada@example.com");
  await vi.waitFor(
    async () => {
      const metrics = await (await server.request("/metrics")).text();
      expect(metrics).toContain('hub_mails{state="failed"} 1');
      expect(metrics).toContain('hub_mails{state="waiting"} 0');
    },
    { timeout: 120_000 },
  );
});

test("SMTP needs a sender and a public URL", () => {
  expect(() => readSettings({ HUB_SMTP_URL: "smtp://localhost:25" })).toThrow(
    /HUB_MAIL_FROM: required with HUB_SMTP_URL.*HUB_URL: required/s,
  );
});

test("sends the owner of a target what moderators decided, and where to appeal", async () => {
  smtp.rejected.clear();
  const root = await makePerson(server, "root-user", { isAdmin: true });
  const tab = await root.signIn();
  await tab.open("/moderation/target?kind=user&name=ada");
  await tab.press("Decide", {
    "Reason, which everyone can read": "spam",
    "Explanation, which only the owner and moderators read": "Forty equal packages.",
  });
  const mail = await mailTo("ada@example.com", "suspended ada");
  expect(mail).toContain("Forty equal packages.");
  const [path = ""] = /\/appeal\/[0-9a-f-]{36}/.exec(mail) ?? [];
  expect((await browser(server).open(path)).text).toContain("Forty equal packages.");
});
