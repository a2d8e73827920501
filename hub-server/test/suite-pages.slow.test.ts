import { contentHash } from "@envs/core/engine";
import { hubClient, isHubRequestError } from "@envs/hub-client";
import { afterAll, beforeAll, expect, test } from "vitest";

import { browser } from "./support/browser.ts";
import { type Chromium, startBrowser } from "./support/chromium.ts";
import { pageProblems } from "./support/page-problems.ts";
import { makePerson, type Person } from "./support/person.ts";
import { publishOrThrow } from "./support/publish.ts";
import { seedSuite, type SeededSuite, type SuiteRun } from "./support/seed-suite.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
const pictures = process.env["ENVS_TEST_PICTURES"];
let ada: Person;
let eve: Person;
let chromium: Chromium;
let suite: SeededSuite;

beforeAll(async () => {
  [chromium, ada, eve] = await Promise.all([
    startBrowser(),
    makePerson(server, "ada"),
    makePerson(server, "eve"),
  ]);
  suite = await seedSuite(server, ada);
  for (const [as, model, ladder, maze] of [
    [ada, "qwen3-32b", 1, 0.5],
    [ada, "policy:optimal", 1, 1],
    [eve, "SmolLM2-135M-Instruct", 0.1, 0.1],
  ] as const) {
    await suite.push({ as, member: 0, model, skill: ladder });
    await suite.push({ as, member: 1, model, skill: maze });
  }
  await suite.push({ as: eve, member: 0, model: "llama-4-maverick", skill: 0.7 });
});
afterAll(() => chromium.close());

const path = (): string => `/package/${suite.name}/evaluations`;

async function boardOf({ token }: { readonly token?: string } = {}, name = suite.name) {
  return await hubClient({ url: server.url, token }).readSuite({ name });
}

test("ranks the models with runs of all members by the mean of their ranks", async () => {
  const { version, locked, members, rows } = await boardOf();
  expect([version, locked]).toEqual(["1.0.0", 2]);
  expect(members).toMatchObject([
    { package: suite.members[0], config: {}, seed: 7, examples: 20, rolloutsPerExample: 2 },
    { package: suite.members[1], config: { level: "hard", size: 5 }, split: null },
  ]);
  expect(members[1]?.configHash).toBe(contentHash({ size: 5, level: "hard" }));
  expect(rows.map(({ rank, meanRank, model, owner }) => [rank, meanRank, model, owner])).toEqual([
    [1, 1, "policy:optimal", "ada"],
    [2, 1.5, "qwen3-32b", "ada"],
    [3, 3, "SmolLM2-135M-Instruct", "eve"],
    [null, null, "llama-4-maverick", "eve"],
  ]);
  expect(rows[1]?.cells.map((cell) => cell?.rank)).toEqual([1, 2]);
  expect(rows[3]?.cells).toMatchObject([{ rank: null, run: { summary: { examples: 20 } } }, null]);
});

test("shows one table with rewards, intervals, badges and links to runs", async () => {
  const { html, text } = await browser(server).open(path());
  const { rows } = await boardOf();
  for (const { cells } of rows)
    for (const cell of cells)
      if (cell !== null) expect(html).toContain(`href="/run/${cell.run.id}"`);
  expect(text).toMatch(/1 mean 1\.00 policy:optimal ada 1\.000 rank 1 declared 1\.000 to 1\.000/);
  expect(text).toMatch(/unranked llama-4-maverick eve .* not evaluated/);
  expect(text).toContain("level=hard, size=5, 20 examples");
  const overview = await browser(server).open(`/package/${suite.name}`);
  expect(overview.html).toContain(`href="${path()}"`);
});

test.each<[string, Omit<SuiteRun, "as" | "member" | "model" | "skill">]>([
  ["no declaration", { isDeclared: false }],
  ["another split", { fields: { split: "train" } }],
  ["another config", { fields: { config: { level: "easy", size: 5 } } }],
  ["sampling options", { fields: { sampling: { temperature: 0 } } }],
  ["fewer examples", { examples: 5 }],
  [
    "a smaller number of examples in its plan",
    { examples: 5, fields: { details: { examples: 5 } } },
  ],
  ["a limit of turns", { fields: { details: { examples: 20, maxTurns: 1 } } }],
])("does not count a run with %s", async (title, run) => {
  const model = `cheat-${title.replaceAll(" ", "-")}`;
  await suite.push({ as: eve, member: 1, model, skill: 1, ...run });
  expect(JSON.stringify(await boardOf())).not.toContain(model);
});

test("counts the newest of several runs of a model", async () => {
  const model = "SmolLM2-135M-Instruct";
  server.advanceClock(60_000);
  const newest = await suite.push({
    as: eve,
    member: 0,
    model,
    skill: 0.2,
    fields: { driver: "envs 0.0.1" },
  });
  const row = (await boardOf()).rows.find((each) => each.model === model);
  expect(row?.cells[0]?.run.id).toBe(newest);
});

test("hides a private member from other visitors, also after its owner opened the page", async () => {
  const { name, members, push } = await seedSuite(server, ada, {
    bare: "secret",
    second: "restricted",
  });
  for (const member of [0, 1] as const)
    await push({ as: ada, member, model: "policy:optimal", skill: 1 });
  const page = `/package/${name}/evaluations`;
  const tab = await ada.signIn();
  expect((await tab.open(page)).html).toContain(`${members[1]}@1.0.0`);
  expect((await boardOf(ada, name)).rows[0]?.cells).toHaveLength(2);
  for (const visitor of [browser(server), await eve.signIn()]) {
    const { html, text } = await visitor.open(page);
    expect(html).not.toContain(members[1]);
    expect(text).toContain("1 evaluation of the suite has no column");
    expect(text).toMatch(/1 mean 1\.00 policy:optimal ada 1\.000/);
  }
  for (const reader of [{}, eve]) {
    const board = await boardOf(reader, name);
    expect(board).toMatchObject({ locked: 2, members: [{ package: members[0] }] });
    expect(JSON.stringify(board)).not.toContain(members[1]);
  }
});

test("returns 404 for a package that is not a valid suite, and explains it on its page", async () => {
  await publishOrThrow(server, "@ada/broken", {
    as: ada,
    access: "public",
    files: { "envs.suite.json": '{"schema":1,"environments":[]}' },
  });
  for (const name of ["@ada/broken", suite.members[0], "@ada/absent"]) {
    const error: unknown = await boardOf({}, name).catch((error: unknown) => error);
    expect(isHubRequestError(error) && error.status).toBe(404);
  }
  const { status, text } = await browser(server).open("/package/@ada/broken/evaluations");
  expect(status).toBe(200);
  expect(text).toContain("has no valid envs.suite.json");
});

test("the page is accessible in both schemes and fits a phone", async () => {
  const picture = pictures === undefined ? undefined : `${pictures}/suite-leaderboard`;
  expect(await pageProblems(chromium, `${server.url}${path()}`, { pictures: picture })).toEqual([]);
});
