import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { publishEnvironment } from "../rescoring/published-environment.ts";
import { type Chromium, startBrowser, type Tab } from "../support/chromium.ts";
import { makePerson, type Person } from "../support/person.ts";
import { sharedHub } from "../support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
let chromium: Chromium;
let ada: Person;
let versions = 0;

beforeAll(async () => {
  [chromium, ada] = await Promise.all([startBrowser(), makePerson(server, "ada")]);
});

afterAll(() => chromium.close());

/** A bundle whose first message to the player is the result of `attack`, the body of an asynchronous function. */
const bundleOf = (attack: string): string => `
const attack = async (method) => { ${attack} };
export const request = async (text) => {
  const { method } = JSON.parse(text);
  let content;
  try { content = String(await attack(method)); } catch (error) { content = "blocked: " + error; }
  return JSON.stringify({ result: view(content) });
};
const view = (content) => ({
  messages: [{ role: "user", content }], isDone: false, episode: 1, index: 0, key: "k", tools: [],
  maxTurns: 9, scores: { reward: 0, scores: {} }, choices: [{ reply: "go", label: "go" }],
});`;

interface Opened {
  readonly tab: Tab;
  /** The paths that the hub has answered since the page has loaded. */
  readonly answered: readonly string[];
}

/** Publishes a bundle, opens its page and starts it. The browser is signed in. */
async function play(code: string): Promise<Opened> {
  versions += 1;
  const version = `1.0.${versions}`;
  await publishEnvironment(server, ada, { name: "tictactoe", version, changeBundle: () => code });
  const { cookies } = await ada.signIn();
  const context = await chromium.newContext();
  onTestFinished(() => context.close());
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: server.url })));
  const tab = await context.newPage();
  tab.setDefaultTimeout(30_000);
  await tab.goto(`${server.url}/package/@ada/tictactoe/v/${version}/play`);
  const answered: string[] = [];
  tab.on("response", (response) => answered.push(new URL(response.url()).pathname));
  await tab.getByRole("button", { name: "Start", exact: true }).click();
  return { tab, answered };
}

const message = (tab: Tab) => tab.locator(".talk-user pre").first().textContent();
const problem = (tab: Tab) => tab.locator(".player .problem").first().textContent();

describe("published code in the play page", () => {
  it.each([
    ["fetches the hub", `await fetch("{hub}/-/ping"); return "reached";`],
    ["fetches without CORS", `await fetch("{hub}/", { mode: "no-cors" }); return "reached";`],
    [
      "opens a WebSocket",
      `return await new Promise((resolve, reject) => {
         const socket = new WebSocket("{hub}/".replace("http", "ws"));
         socket.onopen = () => resolve("reached"); socket.onerror = () => reject("no socket"); });`,
    ],
    [
      "opens an event source",
      `return await new Promise((resolve, reject) => {
         const source = new EventSource("{hub}/"); source.onopen = () => resolve("reached");
         source.onerror = () => reject("no events"); });`,
    ],
    ["imports a script of the hub", `importScripts("{hub}/-/assets/x.js"); return "reached";`],
    ["imports a module of the hub", `await import("{hub}/-/assets/x.js"); return "reached";`],
    ["reads storage", `return "reached" + localStorage.length;`],
    ["opens a database", `indexedDB.open("x"); return "reached";`],
    ["opens the cache", `await caches.open("x"); return "reached";`],
    ["reads the parent's page", `return "reached" + parent.document.title;`],
    ["navigates the window", `top.location = "{hub}/sign-out"; return "reached";`],
    ["reads cookies", `return "reached" + document.cookie;`],
  ])("is stopped when it %s", async (_, attack) => {
    const { tab, answered } = await play(bundleOf(attack.replaceAll("{hub}", server.url)));
    expect(await message(tab)).toMatch(/^blocked: /);
    // Browsers request the icon of a page at any time.
    const own = /\/raw\/|^\/-\/play\/sandbox$|^\/-\/assets\/icon\.svg$|^null/;
    expect(answered.filter((path) => !own.test(path))).toEqual([]);
    expect(tab.url()).toContain("/play");
  });

  it("has no origin", async () => {
    const { tab } = await play(bundleOf(`return self.origin;`));
    expect(await message(tab)).toBe("null");
  });

  it("is ended when it never answers, and the page starts it again", async () => {
    const { tab } = await play(bundleOf(`if (method !== "start") for (;;); return "hello";`));
    expect(await message(tab)).toBe("hello");
    await tab.getByRole("button", { name: "go", exact: true }).click();
    expect(await problem(tab)).toBe("The environment did not answer within 10 seconds.");
    expect(await tab.locator("iframe").count()).toBe(0);
    await tab.getByRole("button", { name: "Start again" }).click();
    await tab.locator('.player[data-phase="turn"]').waitFor();
    expect(await message(tab)).toBe("hello");
  });

  it("is ended when it sends a huge message", async () => {
    const { tab } = await play(`export const request = async () => "x".repeat(9e6);`);
    expect(await problem(tab)).toBe("The environment sent a message of 9000000 characters.");
  });

  it("is ended when it sends messages without end", async () => {
    const flood = `for (let i = 0; i < 1000; i += 1) postMessage([-1, "{}"]); await new Promise(() => {});`;
    const { tab } = await play(bundleOf(flood));
    expect(await problem(tab)).toBe("The environment sent too many messages.");
  });

  it.each([
    ["a text as the reward", { reward: "<img src=x onerror=alert(1)>", scores: {} }],
    ["a score of another type", { reward: 1, scores: { win: { toString: 1 } } }],
    ["no scores", { reward: 1 }],
  ])("cannot show %s", async (_, scores) => {
    const { tab } = await play(
      bundleOf(`return "hello";`).replace(
        "scores: { reward: 0, scores: {} }",
        `scores: ${JSON.stringify(scores)}`,
      ),
    );
    expect(await problem(tab)).toContain(
      "The environment returned data that is not valid at scores",
    );
  });

  it("shows markup as text", async () => {
    const { tab } = await play(bundleOf(`return "<img src=x onerror=alert(1)><b>bold</b>";`));
    expect(await message(tab)).toBe("<img src=x onerror=alert(1)><b>bold</b>");
    expect(await tab.locator(".talk b").count()).toBe(0);
  });

  it("does not run if its bytes are not those of the manifest", async () => {
    const { tab } = await playChanged();
    expect(await problem(tab)).toContain("The environment's code has the hash");
    expect(await tab.locator("iframe").count()).toBe(0);
  });
});

/** The bytes change on the way to the page, as a broken proxy would do. */
async function playChanged(): Promise<Opened> {
  versions += 1;
  const version = `1.0.${versions}`;
  const code = bundleOf(`return "hello";`);
  await publishEnvironment(server, ada, { name: "tictactoe", version, changeBundle: () => code });
  const tab = await chromium.newPage();
  onTestFinished(() => tab.close());
  await tab.route("**/envs.bundle.js", (route) => route.fulfill({ body: `${code}\n// changed` }));
  await tab.goto(`${server.url}/package/@ada/tictactoe/v/${version}/play`);
  await tab.getByRole("button", { name: "Start", exact: true }).click();
  return { tab, answered: [] };
}
