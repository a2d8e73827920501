import { hubClient } from "@envs/hub-client";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";

import { setBadge } from "../src/evaluations/runs/badges.ts";
import { anyDatabase } from "./support/hub.ts";
import { answerTo, runLies } from "./support/lies/run-lies.ts";
import { pushRun } from "./support/runs.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";
import {
  datasetSize,
  openStage,
  playDeclared,
  pushStaged,
  rowOf,
  type Stage,
} from "./support/stage.ts";

const server = sharedHub(anyDatabase, { HUB_LIMITS: "off" });
const ada = sharedUser(server, "ada");
let stage: Stage;

/** `pnpm liars` pushes more. */
const honestRuns = Number(process.env["ENVS_HONEST_RUNS"] ?? 25);

beforeAll(async () => {
  stage = await openStage(server, ada);
});

describe("the hub's answer to a user who", () => {
  it.each(runLies.map((lie) => [lie.act, lie.answer, lie] as const))(
    "%s → %s",
    async (_, __, lie) => {
      const { answer, message } = await answerTo(lie, stage);
      expect(answer, message).toBe(lie.answer);
    },
  );
});

it("accepts every honest declared run", async () => {
  const recipe = fc.record({
    examples: fc.option(fc.integer({ min: 1, max: datasetSize + 5 })),
    rolloutsPerExample: fc.integer({ min: 1, max: 4 }),
    failures: fc.constantFrom(0, 0.3, 1),
    isOrdered: fc.boolean(),
  });
  let count = 0;
  await fc.assert(
    fc.asyncProperty(recipe, async ({ isOrdered, ...run }) => {
      const model = `honest-${(count += 1)}`;
      const id = await pushStaged(stage, {
        model,
        ...run,
        change: (all) =>
          isOrdered ? all.toSorted((a, b) => a.exampleIndex - b.exampleIndex) : all,
      });
      const { rank, run: shown } = await rowOf(stage, id);
      expect(rank).toBeGreaterThan(0);
      expect(shown.badges.map(({ name }) => name)).toEqual(["declared"]);
      const examples = Math.min(run.examples ?? datasetSize, datasetSize);
      expect(shown.summary.counts.total).toBe(examples * run.rolloutsPerExample);
    }),
    { numRuns: honestRuns },
  );
});

it.each(["0-19", "0, 1-18,19", "example.level > 3"])(
  "accepts a declared run of the selection %s",
  async (select) => {
    const id = await pushStaged(stage, {
      model: select,
      declared: { size: 20, details: { select } },
      upload: { details: { examples: 10, rolloutsPerExample: 2, select } },
    });
    expect((await rowOf(stage, id)).rank).toBe(1);
    const page = await (await server.request(`/run/${id}`)).text();
    expect(page.includes("the claim of its user")).toBe(select.startsWith("example."));
  },
);

it("keeps the declaration open until a run is complete", async () => {
  const run = await playDeclared(stage, { model: "interrupted" });
  const client = hubClient({ url: server.url, token: ada.token });
  await client.createRun({ ...run.upload, driver: "an attempt that was resumed later" });
  const id = await pushRun(server, ada, run);
  expect(await pushRun(server, ada, run)).toBe(id);
  expect((await rowOf(stage, id)).rank).toBeGreaterThan(0);
});

it("rejects an expired declaration", async () => {
  const run = await playDeclared(stage, { model: "late" });
  server.advanceClock(31 * 24 * 3_600_000);
  await expect(pushRun(server, ada, run)).rejects.toMatchObject({
    code: "declaration-closed",
    message: expect.stringMatching(/expired on .* envs run push --undeclared/),
  });
});

it("prefers evidence among tied runs, and uses the threshold of the environment", async () => {
  const { name } = stage;
  const config = { config: { level: "hard" } };
  const recipe = { examples: 30, failures: 0, declared: config, upload: config };
  const high = await pushStaged(stage, { model: "tie-high", skill: 0.6, ...recipe });
  const low = await pushStaged(stage, { model: "tie-low", skill: 0.5, ...recipe });
  const { database, clock } = server.hub;
  await setBadge(database, { runId: low, badge: "rescored", evidence: {}, now: clock() });
  const { recipe: shown, summary } = (await rowOf(stage, low)).run;
  const client = hubClient({ url: server.url });
  const { rows } = await client.readLeaderboard({ name, config: shown.configHash });
  expect(rows.map(({ rank, run }) => [rank, run.id])).toEqual([
    [1, low],
    [1, high],
  ]);
  expect(shown.passThreshold).toBe(0.9);
  expect(summary.ranked.failedReward).toBe(-0.5);
});

describe("with limits", () => {
  const limited = sharedHub(anyDatabase, { HUB_RUNS_PER_HOUR: "1000" });
  const eve = sharedUser(limited, "eve");

  it("rejects a user with 100 open declarations", async () => {
    const open = await openStage(limited, eve);
    for (let run = 0; run < 100; run += 1) await playDeclared(open, { model: "hoard" });
    await expect(playDeclared(open, { model: "hoard" })).rejects.toMatchObject({
      code: "declaration-limit",
      message: expect.stringContaining("100 of your declared runs have not come back"),
    });
  });
});
