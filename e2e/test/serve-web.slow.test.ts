import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

import { startBrowser } from "@envs/hub-server/testing/chromium";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";

import { start } from "./support/command-line.ts";

let browser: Browser;
let server: ChildProcess;
let tab: Page;
let pageErrors: string[] = [];

beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());
afterEach(async () => {
  await tab.close();
  server.kill("SIGKILL");
});

/** Serves environments with the built command line, and opens the web page. */
async function openPage(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  server = start(["serve", ...args, "--port", "0", "--processes", "1", "--json"], env);
  const [line] = (await once(server.stdout!, "data")) as [Buffer];
  const { web } = JSON.parse(String(line)) as { readonly web: string };
  tab = await browser.newPage();
  tab.setDefaultTimeout(30_000);
  pageErrors = [];
  tab.on("pageerror", ({ message }) => pageErrors.push(message));
  tab.on("console", (message) => {
    // Chromium logs the status 401 of a missing key, which the page expects.
    if (message.type() === "error" && !message.text().includes("401"))
      pageErrors.push(message.text());
  });
  await tab.goto(web);
  return web;
}

const conversation = async () => (await tab.locator(".talk li").allInnerTexts()).join("\n\n");
const startEpisode = () => tab.getByRole("button", { name: "Start", exact: true }).click();
const isOver = () => tab.locator('.player[data-phase="over"]');

async function reply(text: string): Promise<void> {
  const before = await tab.locator(".talk-assistant").count();
  await tab.getByLabel("Your reply").fill(text);
  await tab.keyboard.press("Enter");
  await tab.locator(".talk-assistant").nth(before).waitFor();
}

describe("the web page of a server", () => {
  test("plays a game with clicks and text, and shows reward and scores", async () => {
    await openPage(["tictactoe", "reverse-text"]);
    await tab.getByLabel("Example").fill("3");
    await startEpisode();
    await tab.getByRole("grid").waitFor();
    expect(await conversation()).toContain("Instructions to the model");
    await tab.locator("summary", { hasText: "Type instead" }).click();
    await reply("<img src=x> centre");
    expect(await conversation()).toContain("<img src=x> centre");
    expect(await tab.locator(".player-status").textContent()).toContain("It is your turn.");
    while ((await isOver().count()) === 0) {
      await tab.getByRole("grid").locator('button[aria-disabled="false"]').first().click();
      await tab.locator('.player[data-phase="turn"], .player[data-phase="over"]').waitFor();
    }
    expect(await tab.locator(".play-reward strong").textContent()).toMatch(/^-?[\d.]+$/u);
    expect(await tab.locator(".play-score-list").first().innerText()).toMatch(
      /invalid × -0.1\s+1/u,
    );
    expect(pageErrors).toEqual([]);
  });

  test("links the environments, and starts the example of a link", async () => {
    await openPage(["tictactoe", "reverse-text"]);
    await tab.getByRole("link", { name: "reverse-text" }).click();
    await startEpisode();
    await reply("<reversed>olleh</reversed>");
    await isOver().waitFor();
    expect(tab.url()).toContain("moves=");
    const scores = await tab.locator(".play-scores").innerText();
    await tab.reload();
    await isOver().waitFor();
    expect(await tab.locator(".play-scores").innerText()).toBe(scores);
    expect(pageErrors).toEqual([]);
  });

  test("shows a form for each tool, and the results of calls", async () => {
    await openPage(["wiki-search"]);
    await startEpisode();
    await tab.getByLabel("search", { exact: true }).check();
    await tab.getByLabel("query").fill("Puerto");
    await tab.getByLabel("limit").fill("2");
    await tab.getByRole("button", { name: "Call search" }).click();
    await tab.locator(".talk-tool").waitFor();
    expect(await conversation()).toContain('{"query":"Puerto","limit":2}');
    await tab.getByLabel("text", { exact: true }).check();
    await reply("<answer>I do not know</answer>");
    await isOver().waitFor();
    expect(await tab.locator(".play-score-list").first().innerText()).toMatch(/exact\s+0/u);
    expect(pageErrors).toEqual([]);
  });

  test("shows why the server rejects a session", async () => {
    await openPage(["reverse-text", "--sessions", "1"]);
    const other = await browser.newPage();
    await other.goto(tab.url());
    await other.getByRole("button", { name: "Start" }).click();
    await other.getByLabel("Your reply").waitFor();
    await startEpisode();
    await tab.getByRole("alert").filter({ hasText: "All 1 sessions are in use" }).waitFor();
    await other.close();
    await expect
      .poll(async () => {
        await tab.getByRole("button", { name: /^Start/u }).click();
        await tab.waitForTimeout(200);
        return tab.getByLabel("Your reply").isVisible();
      })
      .toBe(true);
  });

  test("reports a lost connection, and a server that does not respond", async () => {
    await openPage(["reverse-text"]);
    await startEpisode();
    await tab.getByLabel("Your reply").waitFor();
    server.kill("SIGKILL");
    await tab.getByLabel("Your reply").fill("hello");
    await tab.keyboard.press("Enter");
    const alert = tab.getByRole("alert");
    await alert.filter({ hasText: "The connection to the server was lost" }).waitFor();
    expect(await tab.getByLabel("Your reply").isVisible()).toBe(false);
    await tab.getByRole("button", { name: "Start again" }).click();
    await alert.filter({ hasText: "The server does not respond" }).waitFor();
  });

  test("prompts for the API key if the server requires one", async () => {
    await openPage(["reverse-text", "--api-key-var", "SERVE_KEY"], { SERVE_KEY: "opensesame" });
    await tab.getByLabel("Key").fill("wrong");
    await tab.getByRole("button", { name: "Continue" }).click();
    await tab.getByText("Wrong key. Check it and try again.").waitFor();
    await tab.getByLabel("Key").fill("opensesame");
    await tab.getByRole("button", { name: "Continue" }).click();
    await startEpisode();
    await reply("olleh");
    await isOver().waitFor();
    expect(pageErrors).toEqual([]);
  });
});
