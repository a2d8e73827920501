import { expect, test } from "vitest";

import { changeUser } from "../src/identity/accounts/change-user.ts";
import { sweep } from "../src/operations/sweep.ts";
import { browser } from "./support/browser.ts";
import { makeOrganisation } from "./support/organisation.ts";
import { readDocument } from "./support/package-document.ts";
import { makePerson, password } from "./support/person.ts";
import { publishOrThrow } from "./support/publish.ts";
import { seedEnvironment } from "./support/seed-environment.ts";
import { seedRun } from "./support/seed-run.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off", HUB_REGISTRATION: "open" });
const section = "/settings/data";
const day = 24 * 3_600_000;

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

test("deletes an account after a week, whose packages stay and whose name stays reserved", async () => {
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
  const requested = await tab.press("Confirm", { Password: password });
  expect(requested.heading).toBe("Your account will be deleted");
  expect((await other.open("/settings")).heading).toBe("Sign in");
  expect((await server.request("/-/whoami", { as: hopper })).status).toBe(401);
  await sweep(server.hub);
  expect((await browser(server).open("/user/hopper")).text).not.toContain("was deleted");
  server.advanceClock(7 * day);
  await sweep(server.hub);
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

test("keeps an account whose user signs in before the end of the week", async () => {
  const lovelace = await makePerson(server, "lovelace");
  const tab = await lovelace.signIn();
  await tab.open(section);
  await tab.press("Delete the account", { "Type lovelace to confirm": "lovelace" });
  server.advanceClock(6 * day);
  const again = await lovelace.signIn();
  server.advanceClock(2 * day);
  await sweep(server.hub);
  expect((await again.open("/settings")).heading).toBe("Account");
});

test("lets an administrator delete an account with its runs at once", async () => {
  const noether = await makePerson(server, "noether", { isAdmin: true });
  const mallory = await makePerson(server, "mallory");
  const package_ = await seedEnvironment(server.hub, mallory, { bare: "chess" });
  const run = await seedRun(server.hub, package_, { kind: "evaluation", owner: mallory.id });
  const tab = await noether.signIn();
  await tab.open("/user/mallory/manage");
  const fields = { "Type mallory to confirm": "mallory", "Delete them": "delete" };
  expect((await tab.press("Delete the account", fields)).text).toContain("Account deleted");
  const { database } = server.hub;
  expect(await database.selectFrom("runs").where("id", "=", run).select("id").execute()).toEqual(
    [],
  );
  expect((await browser(server).open("/user/mallory")).text).toContain("This account was deleted");
  const events = database.selectFrom("events").where("type", "=", "user.deleted");
  expect(await events.where("subject", "=", "mallory").select("actor").execute()).toEqual([
    { actor: "noether" },
  ]);
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
  const others = server.hub.database.updateTable("users").where("account_id", "!=", turing.id);
  await others.set({ is_admin: false }).execute();
  const administrator = await tab.press("Delete the account", fields);
  expect([administrator.status, administrator.text.includes("last administrator")]).toEqual([
    403,
    true,
  ]);
  expect((await tab.open("/settings")).heading).toBe("Account");
});
