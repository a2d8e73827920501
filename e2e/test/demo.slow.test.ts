import { hubClient } from "@envs/hub-client";
import { startBrowser } from "@envs/hub-server/testing/chromium";
import { pageProblems } from "@envs/hub-server/testing/page-problems";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { clients } from "./support/clients.ts";
import { startClient } from "./support/clients/client.ts";
import { temporaryFolder } from "./support/command-line.ts";
import { type Demo, startDemo } from "./support/hub/demo.ts";
import { recordingProxy } from "./support/hub/recording-proxy.ts";

const stack = new AsyncDisposableStack();
let folder: string;
let demo: Demo;
let browser: Browser;
let page: Page;
/** The errors of the page while a test uses it. */
const faults: string[] = [];

beforeAll(async () => {
  folder = stack.use(await temporaryFolder()).path;
  demo = await startDemo(folder);
  browser = await startBrowser();
  page = await browser.newPage();
  page.on("pageerror", ({ message }) => faults.push(message));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
});

afterAll(async () => {
  await browser.close();
  await demo[Symbol.asyncDispose]();
  await stack.disposeAsync();
});

/** All runs of the demo's environments, as words. */
async function runs(): Promise<readonly string[]> {
  const hub = hubClient(demo);
  const names = ["@envs/tictactoe", "@envs/double-check", "@envs/reverse-text", "@demo/sums"];
  const lists = await Promise.all(names.map((name) => hub.listRuns({ name, limit: 100 })));
  return lists.flatMap(({ items }) =>
    items.map(({ id, kind, recipe }) =>
      [recipe.package, recipe.version, kind, recipe.model, id].join(" "),
    ),
  );
}

test("pushes runs of policies, tiny models, a language model, two versions and a training", async () => {
  const all = await runs();
  const countOf = (...words: readonly string[]): number =>
    all.filter((run) => words.every((word) => run.includes(word))).length;
  expect(countOf("@envs/tictactoe", "evaluation")).toBe(5);
  expect(countOf("SmolLM2-135M-Instruct")).toBe(3);
  expect(countOf("@demo/sums 1.0.0")).toBe(3);
  expect(countOf("@demo/sums 2.0.0")).toBe(3);
  expect(countOf("training")).toBe(1);
});

test("a visitor finds an environment with a typo and builds its command", async () => {
  await page.goto(demo.url);
  await page.keyboard.press("/");
  await page.keyboard.type("tiktaktoe");
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "@envs/tictactoe" }).click();
  await page.getByLabel("speedBonus").fill("0.5");
  await page.getByText('{"speedBonus":0.5}').first().waitFor();
  expect(page.url()).toContain("speedBonus=0.5");
  expect(faults).toEqual([]);
});

test("a visitor compares two runs of the leaderboard and opens a rollout", async () => {
  await page.goto(`${demo.url}/package/@demo/sums/evaluations`);
  const board = page.getByRole("region", { name: "Leaderboard" });
  await board.getByRole("checkbox").nth(0).check();
  await board.getByRole("checkbox").nth(2).check();
  await page.getByRole("button", { name: "Compare selected runs" }).click();
  await page.getByText("regressions first").waitFor();
  await page.goto(`${demo.url}/package/@envs/tictactoe/evaluations`);
  await page.getByRole("link", { name: "tiny:tictactoe", exact: true }).click();
  await page.getByRole("link", { name: "Read its 40 rollouts" }).click();
  await page.getByText("40 rollouts").waitFor();
  await page.keyboard.press("j");
  await page.getByText("You play tic-tac-toe").waitFor();
  expect(page.url()).toContain("rollout=");
  expect(faults).toEqual([]);
});

test("a visitor plays a game to its end", async () => {
  await page.goto(`${demo.url}/package/@envs/tictactoe/play`);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  for (let move = 0; move < 5; move += 1) {
    await page.locator('.player[data-phase="turn"], .player[data-phase="over"]').waitFor();
    if ((await page.locator('.player[data-phase="over"]').count()) > 0) break;
    await page.getByRole("grid").locator('button[aria-disabled="false"]').first().click();
  }
  await page.locator('.player[data-phase="over"]').waitFor();
  expect(faults).toEqual([]);
});

test("no page of the demo has a fault", async () => {
  const run = (await runs()).find((words) => words.includes("tiny:tictactoe"));
  const training = (await runs()).find((words) => words.includes("training"));
  const paths = [
    "/package/@envs/tictactoe/evaluations",
    "/package/@demo/sums/diff/1.0.0...2.0.0",
    `/run/${run!.split(" ").at(-1)}`,
    `/run/${training!.split(" ").at(-1)}`,
  ];
  const problems = [];
  for (const path of paths)
    for (const problem of await pageProblems(browser, `${demo.url}${path}`))
      problems.push(`${path}: ${problem}`);
  expect(problems).toEqual([]);
});

const evaluation = "envs eval tictactoe -m policy:optimal -n 20 -r 1 --json".split(" ");

// `pnpm release:rehearse` does this with npm, pnpm and bun.
test.each(["Yarn 1", "Yarn 4"] as const)(
  "a visitor installs an environment with %s in an empty folder and evaluates it",
  async (name) => {
    await using proxy = await recordingProxy(demo.url);
    await using client = await startClient(clients[name], { url: proxy.url, scope: "envs" });
    // Yarn does not install peer dependencies.
    await client.run("install", "@envs/tictactoe", "@envs/core", "@envs/cli", "zod");
    const { stdout } = await client.run("run", ...evaluation);
    expect(JSON.parse(stdout)).toMatchObject({
      is_complete: true,
      counts: { scored: 20 },
      scores: { loss: { mean: 0 } },
    });
    const tarballs = proxy.takeExchanges().filter(({ path }) => path.endsWith(".tgz"));
    for (const packageName of ["tictactoe", "core", "cli"])
      expect(tarballs.map(({ path }) => decodeURIComponent(path))).toContainEqual(
        expect.stringMatching(new RegExp(`^/@envs/${packageName}/-/${packageName}-[\\d.]+\\.tgz$`)),
      );
  },
);

test("a visitor evaluates a version that the command installs", async () => {
  await using proxy = await recordingProxy(demo.url);
  await using client = await startClient(clients["npm 11"], { url: proxy.url, scope: "envs" });
  await client.run("install", "@envs/cli", "@envs/hub-cli");
  const [, , , ...options] = evaluation;
  const { stdout } = await client.run("run", "envs", "eval", "@envs/tictactoe@0.0.0", ...options);
  expect(JSON.parse(stdout)).toMatchObject({ is_complete: true, counts: { scored: 20 } });
});

// The hub replays a run of an owner at a time, and has replayed most during the tests above.
test("the hub rescores the runs of a published bundle", async () => {
  const hub = hubClient(demo);
  const ids = (await runs())
    .filter((run) => run.includes(" evaluation "))
    .map((run) => run.split(" ").at(-1)!);
  const countWaiting = async (): Promise<number> => {
    const results = await Promise.all(ids.map((run) => hub.readRescoring({ run })));
    return results.filter(({ outcome }) => outcome === "waiting").length;
  };
  for (let waiting = await countWaiting(); waiting > 0; waiting = await countWaiting())
    await expect.poll(countWaiting, { timeout: 120_000, interval: 5000 }).toBeLessThan(waiting);
  const [id] = (await runs())
    .filter((run) => run.includes("tiny:tictactoe"))
    .map((run) => run.split(" ").at(-1)!);
  const { badges } = await hub.readRun({ run: id! });
  expect(badges.map(({ name }) => name)).toContain("rescored");
});

test("the versions of an environment rank the policies differently", async () => {
  const diff = `${demo.url}/package/@demo/sums/diff/1.0.0...2.0.0`;
  await expect
    .poll(async () => await (await fetch(diff)).text(), { timeout: 120_000, interval: 1000 })
    .toContain("This is a <strong>major</strong> change");
});

test("a second start repeats nothing", async () => {
  const before = await runs();
  await demo[Symbol.asyncDispose]();
  demo = await startDemo(folder);
  expect(await runs()).toEqual(before);
});
