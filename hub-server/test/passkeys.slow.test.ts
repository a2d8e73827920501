import { afterAll, beforeAll, expect, test } from "vitest";

import { type Chromium, startBrowser, type Tab } from "./support/chromium.ts";
import { enableSecondFactor, makePerson, password, type Person } from "./support/person.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off", HUB_HOST: "localhost" });
const timeout = 120_000;
const minute = 60_000;

let chromium: Chromium;
let tab: Tab;
let ada: Person;
beforeAll(async () => {
  ada = await makePerson(server, "ada");
  chromium = await startBrowser();
  tab = await chromium.newPage();
  tab.setDefaultTimeout(20_000);
  const devtools = await tab.context().newCDPSession(tab);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}, timeout);
afterAll(() => chromium.close());

const path = () => new URL(tab.url()).pathname;
const press = (name: string) => tab.getByRole("button", { name, exact: true }).click();
const see = (name: string) => tab.getByRole("heading", { name, level: 1 }).waitFor();
const signOut = () => tab.context().clearCookies();

test("adds a passkey, and signs in with it without a name", { timeout }, async () => {
  await tab.goto(`${server.url}/settings/sign-in`);
  await tab.getByLabel("Name").fill("ada");
  await tab.getByLabel("Password").fill(password);
  await press("Sign in");
  await tab.getByLabel("Name of the passkey").fill("laptop");
  await press("Add a passkey");
  await tab.getByText("You can now sign in this way.").waitFor();
  await tab.getByText("Passkey: laptop").waitFor();
  await signOut();
  await tab.goto(`${server.url}/sign-in?next=%2Fsettings%2Ftokens`);
  await press("Sign in with a passkey");
  await see("Tokens");
  expect(path()).toBe("/settings/tokens");
});

test("confirms a change after five minutes, and keeps its fields", { timeout }, async () => {
  server.advanceClock(6 * minute);
  await tab.goto(`${server.url}/settings/tokens`);
  await tab.getByLabel("Name").fill("of a passkey");
  await press("Create token");
  await see("Confirm that it is you");
  await press("Confirm with a passkey");
  await tab.getByText("Copy the token now").waitFor();
  await tab.goto(`${server.url}/settings/tokens`);
  expect(await tab.getByText("of a passkey").innerText()).toBe("of a passkey");
});

test("replaces the code of the second factor", { timeout }, async () => {
  await enableSecondFactor(server, ada);
  await signOut();
  await tab.goto(`${server.url}/sign-in`);
  await tab.getByLabel("Name").fill("ada");
  await tab.getByLabel("Password").fill(password);
  await press("Sign in");
  await see("Second factor");
  await press("Sign in with a passkey");
  await see("Account");
  expect(path()).toBe("/settings");
});

test("does not accept an answer twice", { timeout }, async () => {
  await signOut();
  await tab.goto(`${server.url}/sign-in`);
  const [answer] = await Promise.all([
    tab.waitForRequest((request) => request.url().endsWith("/sign-in/passkey")),
    press("Sign in with a passkey"),
  ]);
  await see("Account");
  const cookie = (await answer.allHeaders())["cookie"] ?? "";
  const again = await fetch(answer.url(), {
    method: "POST",
    headers: { cookie, "content-type": "application/x-www-form-urlencoded" },
    body: answer.postData() ?? "",
  });
  expect(again.status).toBe(401);
  expect(await again.text()).toContain("The passkey was not accepted");
});

test("does not accept a copy of a passkey, whose counter lags behind", { timeout }, async () => {
  await server.hub.database.updateTable("passkeys").set({ counter: 1_000_000 }).execute();
  await signOut();
  await tab.goto(`${server.url}/sign-in`);
  await press("Sign in with a passkey");
  await tab.getByText("The passkey was not accepted").waitFor();
  expect(path()).toBe("/sign-in/passkey");
});

test("shows a suspended user where to appeal", { timeout }, async () => {
  const { database } = server.hub;
  const now = new Date();
  const id = "00000000-0000-4000-8000-000000000000";
  await database.updateTable("passkeys").set({ counter: 0 }).execute();
  await database.updateTable("users").set({ disabled_at: now }).execute();
  await database
    .insertInto("moderation_acts")
    .values({
      id,
      kind: "suspension",
      target_kind: "user",
      target_id: String(ada.id),
      subject: "ada",
      reason: "spam",
      explanation: "",
      created_at: now,
    })
    .execute();
  await tab.goto(`${server.url}/sign-in`);
  await press("Sign in with a passkey");
  await tab.getByText("have suspended this account").waitFor();
  expect(await tab.innerText("main")).toContain(`on the page /appeal/${id}`);
  await database.deleteFrom("moderation_acts").execute();
  await database.updateTable("users").set({ disabled_at: null }).execute();
  await tab.goto(`${server.url}/sign-in`);
});

test("removes a passkey, which then cannot sign in", { timeout }, async () => {
  await server.hub.database.updateTable("passkeys").set({ counter: 0 }).execute();
  await press("Sign in with a passkey");
  await see("Account");
  await tab.goto(`${server.url}/settings/sign-in`);
  await press("Remove Passkey: laptop");
  await tab.getByText("You can no longer sign in this way.").waitFor();
  await signOut();
  await tab.goto(`${server.url}/sign-in`);
  await press("Sign in with a passkey");
  await tab.getByText("The passkey was not accepted").waitFor();
  expect(path()).toBe("/sign-in/passkey");
});
