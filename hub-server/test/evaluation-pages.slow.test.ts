import { afterAll, beforeAll, expect, test } from "vitest";

import { browser } from "./support/browser.ts";
import { type Chromium, startBrowser } from "./support/chromium.ts";
import { pageProblems } from "./support/page-problems.ts";
import { makePerson, type Person } from "./support/person.ts";
import { pushRun, testRollout, testRun } from "./support/runs.ts";
import { seedLeaderboard, type SeededLeaderboard } from "./support/seed-leaderboard.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
const pictures = process.env["ENVS_TEST_PICTURES"];
let chromium: Chromium;
let ada: Person;
let seeded: SeededLeaderboard;

beforeAll(async () => {
  [chromium, ada] = await Promise.all([startBrowser(), makePerson(server, "ada")]);
  seeded = await seedLeaderboard(server, ada);
});

afterAll(() => chromium.close());

const board = (): string => `/package/${seeded.name}/evaluations`;
const comparison = (): string => `/compare?${seeded.runs.map((id) => `run=${id}`).join("&")}`;

// `every-page.slow.test.ts` checks the pages that links lead to.
test.each([
  ["older-leaderboard", () => `${board()}?version=1.0.0`],
  ["no-such-leaderboard", () => `${board()}?version=9.9.9`],
  ["filtered-leaderboard", () => `${board()}?model=no+such+model`],
  ["training", () => `/run/${seeded.training}`],
  ["comparison", comparison],
  ["comparison-of-versions", () => `/compare?run=${seeded.olderRun}&run=${seeded.runs[1]}`],
  ["no-comparison", () => "/compare"],
  ["no-such-models", () => "/models?q=no+such+model"],
])("shows the page %s without faults in both schemes and on a phone", async (name, path) => {
  const picture = pictures && `${pictures}/${name}`;
  const { cookies } = await ada.signIn();
  const check = { pictures: picture, cookies };
  expect(await pageProblems(chromium, `${server.url}${path()}`, check)).toEqual([]);
});

test("escapes models and messages of hostile rollouts", async () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;
  const run = await testRun(
    server,
    seeded.name,
    [
      testRollout({ environment: "word-ladder", example: 90, scores: { solved: 0 }, reward: 0 }),
      testRollout({ environment: "word-ladder", example: 91, error: "model", reply: hostile }),
    ],
    { version: "1.1.0", model: hostile, config: { note: hostile }, details: { note: hostile } },
  );
  const id = await pushRun(server, ada, run);
  const problems = await pageProblems(chromium, `${server.url}/run/${id}`);
  expect(problems).toEqual([]);
  const { html } = await browser(server).open(`/run/${id}`);
  expect(html).not.toContain("<script>alert");
  expect(html).not.toContain("<img src=x");
});
