import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";

import { startBrowser } from "@envs/hub-server/testing/chromium";
import { pageProblems } from "@envs/hub-server/testing/page-problems";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

import { envs, start } from "./support/command-line.ts";

let browser: Browser;
let server: ChildProcess | undefined;

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());
afterEach(() => {
  server?.kill("SIGKILL");
  server = undefined;
});

/** Starts the command, and resolves to the address that it prints. */
async function play(...args: readonly string[]): Promise<string> {
  server = start(["play", ...args, "--web"]);
  const [line] = (await once(server.stdout!, "data")) as [Buffer];
  return /http:\S+/u.exec(String(line))![0];
}

const moveOnce = async (tab: Page): Promise<void> => {
  await tab.locator('.player[data-phase="turn"]').waitFor();
  await tab.getByRole("grid").locator('button[aria-disabled="false"]').first().click();
  await tab.locator(".talk-assistant").first().waitFor();
};

test("plays a package with the options of the command, bundled when it starts", async () => {
  const url = await play("tictactoe", "--max-random-move-prob", "0", "--example", "2");
  const tab = await browser.newPage();
  await tab.goto(url);
  await moveOnce(tab);
  expect(tab.url()).toContain("example=2");
  expect(tab.url()).toContain("maxRandomMoveProb");
  await tab.close();
});

test("shows the form for a reply beside a board without moves", async () => {
  const url = await play("wordle");
  const tab = await browser.newPage();
  await tab.goto(url);
  await tab.getByRole("button", { name: "Start", exact: true }).click();
  await tab.getByLabel("Your reply").fill("<guess>slate</guess>");
  await tab.keyboard.press("Enter");
  const letter = tab.getByRole("button", { name: /^guess 1, letter 1: S/u });
  await letter.waitFor();
  expect((await letter.textContent())?.toLowerCase()).toMatch(/^s\??$/u);
  await tab.close();
});

test("has no faults in both schemes and on a phone", async () => {
  const url = await play("tictactoe");
  const pictures = process.env["ENVS_TEST_PICTURES"];
  const problems = await pageProblems(browser, url, {
    pictures: pictures && `${pictures}/play-web`,
    async prepare(tab) {
      await tab.getByLabel("Seat O").check();
      await tab.getByRole("button", { name: "Start", exact: true }).click();
      await moveOnce(tab);
    },
  });
  expect(problems).toEqual([]);
});

/** `fetch` does not set the header Host. */
async function statusOf(url: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const request = get(url, { headers });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

test("rejects requests for other hosts and from other sites", async () => {
  const { port } = new URL(await play("reverse-text"));
  const bundle = `http://127.0.0.1:${port}/bundle`;
  expect(await statusOf(bundle, {})).toBe(200);
  expect(await statusOf(bundle, { host: `evil.example:${port}` })).toBe(403);
  expect(await statusOf(bundle, { origin: "http://evil.example" })).toBe(403);
});

test("explains that an environment which needs Node is played on a server", async () => {
  const { code, stderr } = await envs(["play", "wiki-search", "--web"]);
  expect(code).toBe(1);
  expect(stderr).toContain("wiki-search cannot run in a browser:");
  expect(stderr).toContain("envs serve wiki-search");
});

test("opens no page without the sandbox that the environment requires", async () => {
  const needy = "../packages/cli/test/fixtures/needy.ts";
  const { code, stdout, stderr } = await envs(["play", needy, "--web"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain("needs the sandbox python, which does not work here: Install");
});
