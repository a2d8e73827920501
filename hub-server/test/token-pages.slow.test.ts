import { expect, test } from "vitest";

import { type Browser } from "./support/browser.ts";
import { enableSecondFactor, makePerson, password } from "./support/person.ts";
import { publish } from "./support/publish.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
const section = "/settings/tokens";

/** The secret that a page shows. */
function secretOn({ page }: Browser): string {
  const [secret = ""] = /envh_\w{20,}/.exec(page.text) ?? [];
  expect(secret).not.toBe("");
  return secret;
}

test("shows a new token once, and the token may do what the form says", async () => {
  const ada = await makePerson(server, "ada");
  const tab = await ada.signIn();
  await tab.open(section);
  await tab.press("Create token", {
    Name: "CI",
    "Days until it expires": "7",
    "Packages and scopes (optional)": "@ada/allowed\n@ada-labs",
    "IP addresses (optional)": "127.0.0.0/8",
  });
  const token = secretOn(tab);
  const whoami = await server.request("/-/whoami", { as: { token } });
  expect(await whoami.json()).toEqual({ username: "ada" });
  const readOnly = await publish(server, "@ada/allowed", { as: { ...ada, token } });
  expect([readOnly.status, await readOnly.json()]).toMatchObject([
    403,
    { code: "read-only-token" },
  ]);
  const again = await tab.open(section);
  expect(again.html).not.toContain(token);
  expect(again.text).toContain("Can read @ada/allowed, @ada-labs/* from 127.0.0.0/8");
  server.advanceClock(8 * 86_400_000);
  expect((await server.request("/-/whoami", { as: { token } })).status).toBe(401);
});

test("a token to publish publishes, until it is revoked", async () => {
  const grace = await makePerson(server, "grace");
  const tab = await grace.signIn();
  await tab.open(section);
  const [, form = ""] = /name="form" value="([^"]+)"/.exec(tab.page.html) ?? [];
  await tab.send(`${section}/create`, {
    fields: { form, name: "release", permission: "read-write", days: "30" },
  });
  const as = { ...grace, token: secretOn(tab) };
  expect((await publish(server, "@grace/demo", { as })).status).toBe(201);
  await tab.open(section);
  expect((await tab.press("Revoke release")).text).toContain("Token revoked.");
  expect((await publish(server, "@grace/demo", { as, version: "1.0.1" })).status).toBe(401);
});

test.each([
  ["curie", { Name: " " }, "needs a name"],
  ["hopper", { Name: "CI", "Days until it expires": "0" }, "1 to 3650 days"],
  [
    "noether",
    { Name: "CI", "Packages and scopes (optional)": "@a/b/c" },
    "not a valid package name",
  ],
  ["franklin", { Name: "CI", "IP addresses (optional)": "10.0.0.0/64" }, "is not in CIDR form"],
])("keeps the fields of an invalid form of %s", async (name, fields, message) => {
  const person = await makePerson(server, name);
  const tab = await person.signIn();
  await tab.open(section);
  const page = await tab.press("Create token", fields);
  expect([page.status, page.heading]).toEqual([400, "Tokens"]);
  expect(page.text).toContain(message);
  for (const value of Object.values(fields)) expect(page.html).toContain(value);
  expect(page.text).not.toContain("Copy the token now");
});

test("asks a user without a second factor for the password after five minutes", async () => {
  const person = await makePerson(server, "lovelace");
  const tab = await person.signIn();
  server.advanceClock(6 * 60_000);
  await tab.open(section);
  const asked = await tab.press("Create token", { Name: "CI" });
  expect([asked.status, asked.heading]).toEqual([401, "Confirm that it is you"]);
  const wrong = await tab.press("Confirm", { Password: "wrong horse battery" });
  expect([wrong.status, wrong.heading]).toEqual([401, "Confirm that it is you"]);
  await tab.press("Confirm", { Password: password });
  secretOn(tab);
});

test("asks a user with a second factor for a code after five minutes", async () => {
  const person = await makePerson(server, "turing");
  const tab = await person.signIn();
  const app = await enableSecondFactor(server, person);
  server.advanceClock(6 * 60_000);
  await tab.open(section);
  const fields = { Name: "CI", "Packages and scopes (optional)": "@turing/a\n@turing/b" };
  const asked = await tab.press("Create token", fields);
  expect([asked.status, asked.heading]).toEqual([401, "Confirm with a code"]);
  await tab.press("Confirm", { Code: app.code() });
  secretOn(tab);
  const listed = await tab.open(section);
  expect(listed.text).toContain("Can read @turing/a, @turing/b");
});
