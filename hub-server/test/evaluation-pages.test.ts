import { contentHash } from "@envs/core/engine";
import { beforeAll, expect, test } from "vitest";

import { setBadge } from "../src/evaluations/runs/badges.ts";
import { browser } from "./support/browser.ts";
import { anyDatabase } from "./support/hub.ts";
import { makePerson, type Person } from "./support/person.ts";
import { pushRun, testRollout, testRun } from "./support/runs.ts";
import { seedEnvironment } from "./support/seed-environment.ts";
import { seedLeaderboard, type SeededLeaderboard } from "./support/seed-leaderboard.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub(anyDatabase, { HUB_LIMITS: "off" });
let ada: Person;
let seeded: SeededLeaderboard;

beforeAll(async () => {
  ada = await makePerson(server, "ada");
  seeded = await seedLeaderboard(server, ada);
});

const board = (): string => `/package/${seeded.name}/evaluations`;

test("ranks the runs of the newest version and marks ties", async () => {
  const { text, html } = await browser(server).open(board());
  const order = ["policy:optimal", "qwen3-32b", "llama-4-maverick", "SmolLM2", "policy:random"];
  const positions = order.map((model) => html.indexOf(model));
  expect(positions.toSorted((a, b) => a - b)).toEqual(positions);
  expect(text).toMatch(/2 = qwen3-32b/);
  expect(text).toMatch(/2 = llama-4-maverick/);
  expect(text).toContain("letters=4, dictionary=common");
});

test("never shows runs of two versions or configs on one board", async () => {
  const { text } = await browser(server).open(`${board()}?version=1.0.0`);
  expect(text).toContain("Version 1.0.0 with no options, on 20 examples");
  expect(text).toContain("qwen3-32b");
  expect(text).not.toContain("policy:optimal");
});

test("downloads a leaderboard, the rollouts of a run and the rows as they were pushed", async () => {
  const table = await (await server.request(`${board()}.csv?model=qwen`)).text();
  expect(table.split("\r\n")).toHaveLength(3);
  expect(table).toMatch(/^rank,tied,run,model,/);
  expect(table).toContain(`,${seeded.runs[1]},qwen3-32b,ada,1.1.0,`);
  const rollouts = await (await server.request(`/run/${seeded.runs[0]}/rollouts.csv`)).text();
  expect(rollouts.trimEnd().split("\r\n")).toHaveLength(81);
  expect(rollouts).toContain("score_brevity,score_solved,score_steps");
  const rows = await (await server.request(`/run/${seeded.runs[0]}/results.jsonl`)).text();
  expect(rows.trimEnd().split("\n")).toHaveLength(80);
});

test("compares runs example by example, regressions first", async () => {
  const path = `/compare?run=${seeded.runs[1]}&run=${seeded.runs[4]}`;
  const { text, html } = await browser(server).open(path);
  expect(text).toContain("baseline");
  expect(text).toMatch(/policy:random @ada\/word-ladder@1.1.0 .* worse/);
  const differences = [...html.matchAll(/number strong">([+−]?\d\.\d{3})<\/td><td><span/g)].map(
    ([, value = ""]) => Number(value.replace("−", "-")),
  );
  expect(differences.length).toBeGreaterThan(5);
  expect(differences.toSorted((a, b) => a - b)).toEqual(differences);
});

test("warns if compared runs differ in more than their model", async () => {
  const { text } = await browser(server).open(
    `/compare?run=${seeded.olderRun}&run=${seeded.runs[1]}`,
  );
  expect(text).toContain("These runs differ in more than their model");
  expect(text).toContain(`environment: ${seeded.name}@1.0.0 / ${seeded.name}@1.1.0`);
});

test("shows strangers a new run and a new badge at once, although their pages are cached", async () => {
  const stranger = browser(server);
  expect((await stranger.open(board())).text).not.toContain("just-pushed");
  const rollout = testRollout({
    environment: "word-ladder",
    scores: { solved: 1, brevity: 0 },
    reward: 1,
  });
  const run = await testRun(server, seeded.name, [rollout], {
    version: "1.1.0",
    model: "just-pushed",
    config: { letters: 5 },
  });
  const id = await pushRun(server, ada, run);
  const path = `${board()}?config=${contentHash({ letters: 5 })}`;
  expect((await stranger.open(path)).text).toContain("just-pushed");
  expect((await stranger.open(`/run/${id}`)).text).not.toContain("equal 1");
  const { database, clock } = server.hub;
  await setBadge(database, { runId: id, badge: "rescored", evidence: { equal: 1 }, now: clock() });
  expect((await stranger.open(`/run/${id}`)).text).toContain("equal 1");
});

test("lets only the owner of a run delete it", async () => {
  const run = await testRun(
    server,
    seeded.name,
    [testRollout({ environment: "word-ladder", scores: { solved: 1 }, reward: 1 })],
    { version: "1.1.0", model: "to-delete" },
  );
  const id = await pushRun(server, ada, run);
  const stranger = await (await makePerson(server, "eve")).signIn();
  expect((await stranger.open(`/run/${id}`)).text).not.toContain("Delete the run");
  const owner = await ada.signIn();
  await owner.open(`/run/${id}`);
  const { path } = await owner.press("Delete the run");
  expect(path).toBe(board());
  expect((await owner.open(`/run/${id}`)).status).toBe(404);
});

test("hides runs of private packages on every page", async () => {
  const { name } = await seedEnvironment(server.hub, ada, {
    bare: "zebra-fish",
    access: "restricted",
  });
  const rollout = testRollout({ environment: "zebra-fish" });
  const id = await pushRun(server, ada, await testRun(server, name, [rollout]));
  const tab = await ada.signIn();
  const stranger = browser(server);
  for (const path of [
    `/run/${id}`,
    `/run/${id}/rollouts.csv`,
    `/run/${id}/results.jsonl`,
    `/compare?run=${id}&run=${seeded.runs[0]}`,
    `/package/${name}/evaluations`,
    `/package/${name}/evaluations.csv`,
  ]) {
    expect([path, (await tab.open(path)).status]).toEqual([path, 200]);
    const { status, html } = await stranger.open(path);
    expect([path, status]).toEqual([path, 404]);
    expect(html.replaceAll(path, "").replaceAll(name, "")).not.toContain("zebra");
  }
});
