import { beforeAll, expect, test } from "vitest";

import { setBadge } from "../../src/evaluations/runs/badges.ts";
import { browser } from "../support/browser.ts";
import { anyDatabase } from "../support/hub.ts";
import { makePerson, type Person } from "../support/person.ts";
import { publishOrThrow } from "../support/publish.ts";
import { declare, pushDeclared, pushRun, testRollout, testRun } from "../support/runs.ts";
import { seedEnvironment } from "../support/seed-environment.ts";
import { seedLeaderboard, type SeededLeaderboard } from "../support/seed-leaderboard.ts";
import { sharedHub } from "../support/shared-hub.ts";

// A replay would end after a badge that a test sets, and replace it.
const server = sharedHub(anyDatabase, { HUB_LIMITS: "off", HUB_REPLAY_SECONDS: "0" });
const named = "openrouter:qwen/qwen3 32b";
let ada: Person;
let ladder: SeededLeaderboard;
let maze: string;

beforeAll(async () => {
  ada = await makePerson(server, "ada");
  ladder = await seedLeaderboard(server, ada);
  ({ name: maze } = await seedEnvironment(server.hub, ada, { bare: "maze" }));
});

/** A run of ten examples of the maze. Each of its replies is new. */
async function mazeRun(model: string, reward: number) {
  const rollouts = Array.from({ length: 10 }, (_, example) =>
    testRollout({
      environment: "maze",
      example,
      scores: { win: reward },
      reward,
      reply: `${model} ${reward} ${example}`,
    }),
  );
  return await testRun(server, maze, rollouts, { model });
}

test("lists models, those in most environments first, with the boards that they lead", async () => {
  await pushDeclared(server, ada, await mazeRun("qwen3-32b", 0.5));
  await pushDeclared(server, ada, await mazeRun("policy:random", 0.1));
  const { text, html } = await browser(server).open("/models");
  expect(html.indexOf("/models/qwen3-32b")).toBeLessThan(html.indexOf("/models/llama-4-maverick"));
  expect(text).toMatch(/qwen3-32b 2 1 3 1 /);
  expect(html).not.toContain("/models/policy:optimal");
  expect(text).toMatch(/SmolLM2-135M-Instruct 1 – 1 1 /);
});

test("lists policies apart from models", async () => {
  const tab = browser(server);
  const { text, html } = await tab.open("/models?kind=policy");
  expect(text).toMatch(/policy:optimal 1 1 1 1 /);
  expect(html).not.toContain("/models/qwen3-32b");
  expect((await tab.open("/models/policy:optimal")).text).toContain("a policy, not a model");
});

test("finds models by a part of their names", async () => {
  const { html } = await browser(server).open("/models?q=LLAMA");
  expect(html).toContain("/models/llama-4-maverick");
  expect(html).not.toContain("/models/qwen3-32b");
  expect((await browser(server).open("/models?q=gpt")).text).toContain(
    "No evaluated model has “gpt” in its name.",
  );
});

test("shows the ranked run of a model on each board, of the newest version", async () => {
  const { text, html } = await browser(server).open("/models/qwen3-32b");
  expect(text).toContain("3 runs");
  expect(text).toContain("2 environments");
  expect(text).toContain("3 of 3 declared runs came back");
  expect(html).toContain(`/run/${ladder.runs[1]}"`);
  expect(text).toMatch(/@ada\/maze 1\.0\.0, no options, 10 examples 1 of 2 0\.500/);
  expect(text).toMatch(/@ada\/word-ladder 1\.1\.0, .* 2 = of 5 /);
});

test("compares a model with the others on the boards that both have", async () => {
  const { text, html } = await browser(server).open("/models/qwen3-32b");
  expect(text).toMatch(/policy:random 2 2 0 0 Compare/);
  expect(text).toMatch(/policy:optimal 1 0 0 1 Compare/);
  expect(text).toMatch(/llama-4-maverick 1 0 1 0 Compare/);
  expect(html).toContain(`/compare?run=${ladder.runs[1]}&amp;run=${ladder.runs[0]}`);
});

test("opens a model whose name has slashes, colons and spaces", async () => {
  await pushDeclared(server, ada, await mazeRun(named, 0.7));
  const tab = browser(server);
  const { html } = await tab.open("/models?q=openrouter");
  const [, href = ""] = /href="(\/models\/openrouter[^"]+)"/.exec(html) ?? [];
  expect(href).toBe("/models/openrouter:qwen/qwen3%2032b");
  expect((await tab.open(href)).text).toContain(named);
});

test("counts declared runs that never came back and refuted runs, and does not rank these", async () => {
  const model = "liar";
  await declare(server, ada, await mazeRun(model, 0.2));
  const refuted = await pushDeclared(server, ada, await mazeRun(model, 1));
  const evidence = { rollouts: 10 };
  const badge = { runId: refuted, badge: "refuted", evidence, now: server.hub.clock() } as const;
  await setBadge(server.hub.database, badge);
  server.advanceClock(40 * 24 * 60 * 60 * 1000);
  const { text } = await browser(server).open(`/models/${model}`);
  expect(text).toContain("1 of 2 declared runs came back");
  expect(text).toContain("1 refuted by a replay");
  expect(text).toMatch(/10 examples – 1\.000/);
  await pushDeclared(server, ada, await mazeRun(model, 0.3));
  const after = await browser(server).open(`/models/${model}`);
  expect(after.text).toMatch(/10 examples \d of \d 0\.300/);
  expect(after.text).toContain("1 other refuted");
});

test("shows on the home page who leads a board, and who led before", async () => {
  const before = (await browser(server).open("/")).text;
  expect(before).toMatch(/@ada\/maze openrouter:qwen\/qwen3 32b 0\.700 leads\b/);
  server.advanceClock(40 * 24 * 60 * 60 * 1000);
  await pushDeclared(server, ada, await mazeRun("newcomer", 0.9));
  const after = await browser(server).open("/");
  expect(after.text).toContain("@ada/maze newcomer 0.900 leads; before, openrouter:qwen/qwen3 32b");
  await pushDeclared(server, ada, await mazeRun("weak", 0.4));
  const { text, html } = await browser(server).open("/");
  expect(text).toMatch(
    /newcomer 0\.900 leads; before, .* 0\.700 ?\. New: weak 0\.400 ?, rank \d of \d/,
  );
  expect(html).toContain('href="/models/weak"');
});

test("links trainings and the package of the model that they produced, in both directions", async () => {
  await publishOrThrow(server, "@ada/tiny-ladder", {
    as: ada,
    version: "0.1.0",
    access: "public",
    packageJson: { keywords: ["llm-environment-model"] },
  });
  const tab = browser(server);
  const path = "/package/@ada/tiny-ladder/v/0.1.0";
  expect((await tab.open(`/run/${ladder.training}`)).html).toContain(`href="${path}"`);
  expect((await tab.open(`/package/${ladder.name}`)).html).toContain(`href="${path}"`);
  expect((await tab.open(path)).html).toContain(`href="/run/${ladder.training}"`);
});

test("links to models from searches, with the same words", async () => {
  const { html } = await browser(server).open("/search?q=qwen");
  expect(html).toContain('href="/models?q=qwen"');
});

test("links to the model from its runs and its boards", async () => {
  const tab = browser(server);
  expect((await tab.open(`/run/${ladder.runs[1]}`)).html).toContain('href="/models/qwen3-32b"');
  expect((await tab.open(`/package/${ladder.name}/evaluations`)).html).toContain(
    'href="/models/qwen3-32b"',
  );
});

test("hides models of private packages, and returns 404 for unknown ones", async () => {
  const { name } = await seedEnvironment(server.hub, ada, { bare: "vault", access: "restricted" });
  const run = await testRun(server, name, [testRollout({ environment: "vault" })], {
    model: "secret/one",
  });
  await pushRun(server, ada, run);
  const stranger = browser(server);
  expect((await stranger.open("/models")).text).not.toContain("secret/one");
  expect((await stranger.open("/models/secret/one")).status).toBe(404);
  expect((await stranger.open("/models/unknown")).status).toBe(404);
  expect((await (await ada.signIn()).open("/models/secret/one")).text).toContain(name);
});
