import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { publishEnvironment } from "../rescoring/published-environment.ts";
import { type Chromium, startBrowser, type Tab } from "../support/chromium.ts";
import { pageProblems } from "../support/page-problems.ts";
import { makePerson, type Person } from "../support/person.ts";
import { publishOrThrow } from "../support/publish.ts";
import { sharedHub } from "../support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
const weights = join(import.meta.dirname, "../../../packages/tiny-tictactoe/model.safetensors");
let chromium: Chromium;
let ada: Person;

const publishModel = async (name: string, access: "public" | "restricted") =>
  publishOrThrow(server, name, {
    as: ada,
    access,
    packageJson: {
      keywords: ["llm-environment-model"],
      envs: { plays: ["@ada/tictactoe"] },
    },
    files: { "model.safetensors": await readFile(weights) },
  });

beforeAll(async () => {
  [chromium, ada] = await Promise.all([startBrowser(), makePerson(server, "ada")]);
  await publishEnvironment(server, ada, { name: "tictactoe" });
  await publishModel("@ada/tiny-tictactoe", "public");
  await publishModel("@ada/tiny-secret", "restricted");
});

afterAll(() => chromium.close());

/** Opens a page. The test fails if a script throws or a policy is violated. */
async function open(path: string): Promise<Tab> {
  const context = await chromium.newContext();
  const tab = await context.newPage();
  const problems: string[] = [];
  tab.setDefaultTimeout(30_000);
  tab.on("pageerror", ({ message }) => problems.push(message));
  tab.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    expect(problems).toEqual([]);
  });
  await tab.goto(`${server.url}/package/@ada/${path}`);
  return tab;
}

const start = (tab: Tab) => tab.getByRole("button", { name: "Start", exact: true }).click();
const status = (tab: Tab) => tab.locator(".player-status");
const squares = (tab: Tab) => tab.getByRole("grid").getByRole("button");
const isTurn = (tab: Tab) => tab.locator('.player[data-phase="turn"]').waitFor();

async function waitForTurnOrEnd(tab: Tab): Promise<boolean> {
  await tab.locator('.player[data-phase="turn"], .player[data-phase="over"]').waitFor();
  return (await tab.locator('.player[data-phase="over"]').count()) > 0;
}

/** The cell that the best policy plays, from its hint. */
async function hinted(tab: Tab): Promise<void> {
  await tab.getByRole("button", { name: "Ask policy:optimal" }).click();
  await tab.getByRole("button", { name: "Play this" }).click();
}

describe("the play page of a package", () => {
  it("lets a person play a game to a draw with hints, and shows its scores", async () => {
    const tab = await open("tictactoe/play");
    await tab.locator("summary", { hasText: "Options" }).click();
    await tab.getByLabel("maxRandomMoveProb").fill("0");
    await start(tab);
    await isTurn(tab);
    await squares(tab).nth(4).click();
    while (!(await waitForTurnOrEnd(tab))) await hinted(tab);
    expect(await status(tab).textContent()).toBe("It is a draw. The episode is over.");
    expect(await tab.locator(".talk li").last().textContent()).toContain("It is a draw.");
    expect(await tab.locator(".play-reward strong").textContent()).toBe("0.7");
  });

  it("plays with the keyboard only", async () => {
    const tab = await open("tictactoe/play");
    await tab.getByRole("button", { name: "Start", exact: true }).focus();
    await tab.keyboard.press("Enter");
    await isTurn(tab);
    const isOnBoard = "document.activeElement.closest('[role=grid]') !== null";
    await expect.poll(() => tab.evaluate(isOnBoard)).toBe(true);
    await tab.keyboard.press("ArrowDown");
    await tab.keyboard.press("ArrowRight");
    await tab.keyboard.press("Enter");
    await tab.locator(".talk-assistant").waitFor();
    expect(await squares(tab).nth(4).textContent()).toBe("X");
    await tab.keyboard.press("ArrowUp");
    const focused = "document.activeElement.getAttribute('aria-label')";
    expect(await tab.evaluate(focused)).toContain("row 1, column 2");
  });

  it("takes a move back, and reaches the same position by the link", async () => {
    const tab = await open("tictactoe/play?example=3");
    await isTurn(tab);
    const free = tab.getByRole("grid").locator('button[aria-disabled="false"]');
    const before = await free.count();
    await free.first().click();
    await waitForTurnOrEnd(tab);
    const board = await squares(tab).allTextContents();
    await expect.poll(() => tab.url()).toContain("moves=");
    const other = await open(tab.url().slice(tab.url().indexOf("tictactoe/play")));
    await other.locator(".talk-assistant").waitFor();
    await waitForTurnOrEnd(other);
    expect(await squares(other).allTextContents()).toEqual(board);
    await tab.getByRole("button", { name: "Undo" }).click();
    await isTurn(tab);
    await expect.poll(() => free.count()).toBe(before);
  });

  it("lets a published tiny model play against a person, who does not see its thoughts", async () => {
    const tab = await open("tictactoe/play");
    await tab.getByLabel("Seat O").check();
    expect(await tab.getByLabel("Player of the other side").innerText()).not.toContain("secret");
    await start(tab);
    await isTurn(tab);
    expect(await tab.locator(".player-thought").count()).toBe(0);
    const marks = () => tab.getByRole("grid").innerText();
    expect((await marks()).match(/X/g)).toHaveLength(1);
    await tab.getByRole("grid").locator('button[aria-disabled="false"]').first().click();
    await expect.poll(async () => (await marks()).match(/X/g)?.length).toBe(2);
  });

  it("has no faults before, in and after a game, in both schemes and on a phone", async () => {
    const url = `${server.url}/package/@ada/tictactoe/play`;
    const pictures = process.env["ENVS_TEST_PICTURES"];
    for (const [name, seat] of [
      ["idle", undefined],
      ["watch", "Nothing: watch"],
    ] as const)
      expect(
        await pageProblems(chromium, url, {
          pictures: pictures && `${pictures}/play-${name}`,
          async prepare(tab) {
            if (seat === undefined) return;
            await tab.getByLabel(seat).check();
            await start(tab);
            await tab.locator('.player[data-phase="over"]').waitFor({ timeout: 120_000 });
            expect(await tab.locator(".player-thought").innerText()).toMatch(
              /tiny:tictactoe\s+think/,
            );
          },
        }),
      ).toEqual([]);
  });

  it("explains why a version without a bundle cannot be played", async () => {
    await publishEnvironment(server, ada, { name: "double-check", listBundle: () => undefined });
    const response = await fetch(`${server.url}/package/@ada/double-check/play`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("It was published without a bundle");
  });
});
