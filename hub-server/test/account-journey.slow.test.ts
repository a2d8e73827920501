import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

import { type Chromium, startBrowser, type Tab } from "./support/chromium.ts";
import { readDocument } from "./support/package-document.ts";
import { type Authenticator, enableSecondFactor, password } from "./support/person.ts";
import { type SeededPeople, seedPeople } from "./support/seed-people.ts";
import { sharedHub } from "./support/shared-hub.ts";

const { resolve } = createRequire(import.meta.url);
const npmCli = join(dirname(resolve("npm-11/package.json")), "bin/npm-cli.js");
const server = sharedHub("server", { HUB_LIMITS: "off" });
const timeout = 120_000;

let people: SeededPeople;
let app: Authenticator;
let chromium: Chromium;
let tab: Tab;
let home: string;

beforeAll(async () => {
  people = await seedPeople(server);
  app = await enableSecondFactor(server, people.ada);
  chromium = await startBrowser();
  const context = await chromium.newContext();
  await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
  tab = await context.newPage();
  tab.setDefaultTimeout(30_000);
  home = await mkdtemp(join(tmpdir(), "envs-journey-"));
}, timeout);
afterAll(async () => {
  await chromium.close();
  await rm(home, { recursive: true, force: true, maxRetries: 10 });
});

const heading = () => tab.getByRole("heading", { level: 1 }).innerText();
const press = (name: string) => tab.getByRole("button", { name, exact: true }).click();

test("signs in with a code by keyboard only, and returns to the page", { timeout }, async () => {
  await tab.goto(`${server.url}/settings/tokens`);
  expect(await heading()).toBe("Sign in");
  await tab.getByLabel("Name").focus();
  await tab.keyboard.type("ada");
  await tab.keyboard.press("Tab");
  await tab.keyboard.type(password);
  await tab.keyboard.press("Enter");
  await tab.getByRole("heading", { name: "Second factor" }).waitFor();
  await tab.getByLabel("Code").focus();
  await tab.keyboard.type(app.code());
  await tab.keyboard.press("Enter");
  await tab.getByRole("heading", { name: "Tokens" }).waitFor();
  expect(new URL(tab.url()).pathname).toBe("/settings/tokens");
});

test("creates a token, copies it, and npm uses it", { timeout }, async () => {
  await tab.getByLabel("Name").fill("laptop");
  await tab.getByLabel("Read and publish").check();
  await press("Create token");
  await press("Copy the line for .npmrc");
  await tab.getByText("Copied").waitFor();
  const line = await tab.evaluate<string>("navigator.clipboard.readText()");
  await writeFile(
    join(home, ".npmrc"),
    `registry=${server.url}/\nupdate-notifier=false\n${line}\n`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [npmCli, "whoami"], {
    cwd: home,
    env: { HOME: home, PATH: dirname(process.execPath) },
  });
  expect(stdout.trim()).toBe("ada");
});

test("adds a member to the organisation and makes her an admin", { timeout }, async () => {
  await tab.goto(`${server.url}/org/word-games/members`);
  await tab.getByLabel("User name").fill("eve");
  await press("Add member");
  await tab.getByText("Member saved.").waitFor();
  const role = tab.getByRole("combobox", { name: "Role of eve" });
  await role.selectOption("admin");
  await press("Change the role of eve");
  await tab.waitForURL(/done=set$/);
  expect(await role.inputValue()).toBe("admin");
});

test("approves a staged version, after a code if the session is old", { timeout }, async () => {
  server.advanceClock(6 * 60_000);
  await tab.goto(`${server.url}/settings/staged`);
  await tab.getByRole("link", { name: "@word-games/word-length@1.1.0" }).click();
  await press("Approve and publish");
  await tab.getByRole("heading", { name: "Confirm with a code" }).waitFor();
  await tab.getByLabel("Code").fill(app.code());
  await press("Confirm");
  await tab.getByText("Version published.").waitFor();
  const document = await readDocument(server, people.publicPackage);
  expect(document["dist-tags"]).toMatchObject({ latest: "1.1.0" });
});

test("requires the name to be typed before a team is deleted", { timeout }, async () => {
  await tab.goto(`${server.url}/org/word-games/team/reviewers`);
  const field = tab.getByLabel("Type reviewers to confirm");
  await press("Delete team");
  const isMissing = await tab.evaluate<boolean>(
    "document.getElementById('confirmation').validity.valueMissing",
  );
  expect(isMissing).toBe(true);
  await field.fill("reviewers");
  await press("Delete team");
  await tab.getByText("Team deleted.").waitFor();
});
