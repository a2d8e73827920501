import { existsSync, globSync } from "node:fs";
import { join } from "node:path";

import { rolloutErrorCodes } from "@envs/core/engine";
import { hubErrors } from "@envs/hub-client/error-reference";
import { type Chromium, startBrowser, type Tab } from "@envs/hub-server/testing/chromium";
import { pageProblems } from "@envs/hub-server/testing/page-problems";
import { serviceUrl } from "@envs/hub-server/testing/service-url";
import { sharedHub } from "@envs/hub-server/testing/shared-hub";
import { afterAll, beforeAll, expect, test } from "vitest";

const folder = join(import.meta.dirname, "../dist");
// A hub looks for the site once, at its start.
beforeAll(async () => void (await serviceUrl("site")));
const server = sharedHub("server");
let chromium: Chromium;
let tab: Tab;

beforeAll(async () => {
  if (!existsSync(folder))
    throw new Error("The site is not built. Run `npx -y pnpm@12 run docs` before this test.");
  chromium = await startBrowser();
  tab = await chromium.newPage();
});

afterAll(() => chromium.close());

const pictures = process.env["ENVS_TEST_PICTURES"];

test.each([
  "/docs/",
  "/docs/guides/first-evaluation",
  "/docs/guides/evaluate-a-model",
  "/docs/concepts/",
  "/docs/concepts/training",
  "/docs/providers",
  "/docs/reference/command-line",
  "/docs/reference/settings",
  "/docs/api/cli",
  "/docs/api/core-node",
  "/docs/examples/tictactoe-simple",
  "/docs/decisions/2026-11-21-failures-are-data",
  "/docs/guides/rollout-viewer",
  "/docs/guides/play",
  "/docs/no-such-page",
])("%s obeys the hub's policy, has no axe fault and fits a phone", async (path) => {
  const picture = pictures && join(pictures, path.replaceAll("/", "_"));
  const check = { pictures: picture };
  expect(await pageProblems(chromium, `${server.url}${path}`, check)).toEqual([]);
});

test("every page can be read without scripts", async () => {
  const context = await chromium.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${server.url}/docs/guides/train`);
  expect(await page.locator("h1").innerText()).toContain("Train a model");
  expect(await page.locator("pre code").first().isVisible()).toBe(true);
  await page.goto(`${server.url}/docs/no-such-page`);
  expect(await page.locator("body").innerText()).toContain("This page does not exist");
  await context.close();
});

test.each([
  ["tictactoe", "tictactoe"],
  ["version-exists", "Errors"],
  ["defineEnvironment", "core"],
])("the search finds %s", async (word, title) => {
  await tab.goto(`${server.url}/docs/`);
  await tab.getByRole("button", { name: "Search" }).click();
  await tab.getByRole("searchbox").fill(word);
  const results = tab.locator(".VPLocalSearchBox .result");
  // The box searches a moment after the last letter, and lists pages before it reads their excerpts.
  const texts = async () => (await results.allInnerTexts()).join("\n").toLowerCase();
  await expect.poll(texts).toContain(title.toLowerCase());
});

test("every error code has a heading to link to", async () => {
  const html = await (await fetch(`${server.url}/docs/errors`)).text();
  const ids = new Set([...html.matchAll(/<h3 id="([^"]+)"/g)].map(([, id]) => id));
  const codes = [...rolloutErrorCodes, ...Object.keys(hubErrors)];
  expect(codes.filter((code) => !ids.has(code.toLowerCase()))).toEqual([]);
});

const example = () => tab.locator(".runnable").first();

async function score(reply: string): Promise<string> {
  await example().getByLabel("Reply of the model").fill(reply);
  await example().getByRole("button", { name: "Score the reply" }).click();
  const outcome = example().getByRole("status");
  await outcome.locator("table, .runnable-problem").waitFor();
  return await outcome.innerText();
}

async function edit(change: (code: string) => string): Promise<void> {
  await example().getByRole("button", { name: "Edit the code" }).click();
  const editor = example().getByLabel("Environment");
  await editor.fill(change(await editor.inputValue()));
}

test("the example on the page scores the reply with its displayed code", async () => {
  await tab.goto(`${server.url}/docs/`);
  expect(await score("<answer>Nairobi</answer>")).toContain("gets the reward 1.2.");
  expect(await score("<answer>Mombasa</answer>")).toContain("gets the reward 0.2.");
});

test("the example runs the edited code", async () => {
  await tab.goto(`${server.url}/docs/`);
  await edit((code) => code.replace("weight: 0.2", "weight: 3"));
  expect(await score("<answer>Nairobi</answer>")).toContain("gets the reward 4.");
});

test("the example reports an endless loop, and the page still responds", async () => {
  await tab.goto(`${server.url}/docs/`);
  await edit((code) => code.replace("correct: ({", "loop: () => { for (;;); }, correct: ({"));
  expect(await score("x")).toContain("was stopped");
  const editor = example().getByLabel("Environment");
  await editor.fill((await editor.inputValue()).replace("for (;;);", "return 0;"));
  expect(await score("<answer>Nairobi</answer>")).toContain("gets the reward 1.2.");
});

test("the example names an error of the code", async () => {
  await tab.goto(`${server.url}/docs/`);
  await edit(() => "export default 1 +;");
  expect(await score("x")).toMatch(/Unexpected token/);
  await example().getByLabel("Environment").fill('import fs from "node:fs"; export default fs;');
  expect(await score("x")).toContain("cannot import node:fs");
});

test("the example reaches no server and no data of the page", async () => {
  const requests: string[] = [];
  await tab.goto(`${server.url}/docs/`);
  await tab.evaluate("localStorage.setItem('secret', 'of the hub')");
  tab.on("request", (request) => requests.push(request.url()));
  await edit((code) =>
    code.replace(
      "correct: ({ reply",
      `leak: async () => {
        const attempts = [
          () => fetch("${server.url}/-/ping"),
          () => new WebSocket("ws://127.0.0.1:9"),
          () => import("${server.url}/docs/sandbox.js"),
          () => localStorage.secret.length,
          () => indexedDB.open("x"),
        ];
        const results = await Promise.allSettled(attempts.map(async (attempt) => attempt()));
        return results.filter(({ status, value }) => status === "fulfilled" && value instanceof Response).length;
      },
      correct: ({ reply`,
    ),
  );
  expect(await score("<answer>Nairobi</answer>")).toMatch(/leak\s+1\s+0/);
  expect(requests.filter((url) => url.includes("ping"))).toEqual([]);
});

test("the game plays the environment in the page, and the tiny model advises", async () => {
  const problems: string[] = [];
  const page = await chromium.newPage();
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.goto(`${server.url}/docs/guides/play`);
  const frame = page.frameLocator("iframe.game");
  await page.locator("iframe.game").scrollIntoViewIfNeeded();
  await frame.getByRole("button", { name: "Start" }).click();
  await frame.locator(".board button:enabled").first().click();
  await frame.getByText("It is your turn.").first().waitFor();
  await frame.getByRole("button", { name: "Ask tiny:tictactoe" }).click();
  await frame.getByText("tiny:tictactoe would reply").waitFor();
  expect(problems).toEqual([]);
  await page.close();
});

test("the hub responds 404 to paths outside of the site", async () => {
  for (const path of ["/docs/..%2f..%2fpackage.json", "/docs/%2e%2e/%2e%2e/package.json"]) {
    const response = await fetch(`${server.url}${path}`);
    expect([403, 404]).toContain(response.status);
    expect(await response.text()).not.toContain('"version"');
  }
});

test("hashed files are cached forever, pages are not", async () => {
  const [asset = ""] = globSync("assets/chunks/framework.*.js", { cwd: folder });
  const script = await fetch(`${server.url}/docs/${asset}`, {
    headers: { "accept-encoding": "br" },
  });
  expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  expect(script.headers.get("content-encoding")).toBe("br");
  const page = await fetch(`${server.url}/docs/errors`);
  expect(page.headers.get("cache-control")).toBe("public, max-age=300");
  const start = await fetch(`${server.url}/docs`, { redirect: "manual" });
  expect([start.status, start.headers.get("location")]).toEqual([301, "/docs/"]);
});
