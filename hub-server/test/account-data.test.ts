import { expect, test } from "vitest";

import { changeUser } from "../src/identity/accounts/change-user.ts";
import { browser } from "./support/browser.ts";
import { makeOrganisation } from "./support/organisation.ts";
import { readDocument } from "./support/package-document.ts";
import { makePerson, password } from "./support/person.ts";
import { publishOrThrow } from "./support/publish.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off", HUB_REGISTRATION: "open" });
const section = "/settings/data";

test("exports what the hub stores about a user, without secrets", async () => {
  const ada = await makePerson(server, "ada");
  await makePerson(server, "grace");
  await publishOrThrow(server, "@ada/word-length", { as: ada, access: "public" });
  const tab = await (await makePerson(server, "eve")).signIn();
  expect((await tab.open(`${section}/export`)).html).not.toContain("ada");
  const own = await ada.signIn();
  const { html, headers } = await own.open(`${section}/export`);
  expect(headers.get("content-disposition")).toBe('attachment; filename="ada.json"');
  expect(JSON.parse(html)).toMatchObject({
    profile: { name: "ada", email: "ada@example.com" },
    tokens: [{ name: "made by a test" }],
    packages: [{ name: "@ada/word-length" }],
    versions: [{ name: "@ada/word-length", version: "1.0.0" }],
    events: expect.arrayContaining([expect.objectContaining({ type: "user.created" })]) as unknown,
  });
  expect(html).not.toMatch(/argon2|hash|grace/);
});

test("deletes an account, whose packages stay and whose name stays reserved", async () => {
  const hopper = await makePerson(server, "hopper");
  await publishOrThrow(server, "@hopper/word-length", { as: hopper, access: "public" });
  const [tab, other] = [await hopper.signIn(), await hopper.signIn()];
  await tab.open(section);
  const unconfirmed = await tab.press("Delete the account", { "Type hopper to confirm": "hoper" });
  expect(unconfirmed.status).toBe(400);
  server.advanceClock(6 * 60_000);
  await tab.open(section);
  const asked = await tab.press("Delete the account", { "Type hopper to confirm": "hopper" });
  expect(asked.heading).toBe("Confirm that it is you");
  expect((await tab.press("Confirm", { Password: password })).heading).toBe("Account deleted");
  expect((await other.open("/settings")).heading).toBe("Sign in");
  expect((await server.request("/-/whoami", { as: hopper })).status).toBe(401);
  const document = await readDocument(server, "@hopper/word-length");
  expect(document["dist-tags"]).toMatchObject({ latest: "1.0.0" });
  const page = await browser(server).open("/user/hopper");
  expect(page.text).toContain("This account was deleted");
  expect(page.html).not.toContain("hopper@example.com");
  const registration = browser(server);
  await registration.open("/register");
  const taken = await registration.press("Create account", { Name: "hopper", Password: password });
  expect(taken.status).toBe(409);
  const reopen = changeUser(server.hub, { name: "hopper", actor: "ada", isDisabled: false });
  await expect(reopen).rejects.toThrow("The user hopper is not on this hub");
});

test("does not delete the last owner of an organisation or the last administrator", async () => {
  const turing = await makePerson(server, "turing", { isAdmin: true });
  await makeOrganisation(server, turing, "word-games");
  const tab = await turing.signIn();
  await tab.open(section);
  const fields = { "Type turing to confirm": "turing" };
  const owner = await tab.press("Delete the account", fields);
  expect([owner.status, owner.text.includes("last owner of word-games")]).toEqual([403, true]);
  await server.hub.database.deleteFrom("memberships").execute();
  const administrator = await tab.press("Delete the account", fields);
  expect([administrator.status, administrator.text.includes("last administrator")]).toEqual([
    403,
    true,
  ]);
  expect((await tab.open("/settings")).heading).toBe("Account");
});
