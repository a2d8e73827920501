import { expect, test } from "vitest";

import { requireRun } from "../../src/evaluations/runs/read-runs.ts";
import { rescoreRun } from "../../src/rescoring/rescore-run.ts";
import { anyDatabase } from "../support/hub.ts";
import {
  type BundleLie,
  bundleLies,
  lyingExamples,
  type SampleLie,
  sampleLies,
} from "../support/lies/bundle-lies.ts";
import { bundleOf, publishBundle } from "../support/publish-bundle.ts";
import { declare, pushRun, testRollout, testRun } from "../support/runs.ts";
import { sharedHub, sharedUser } from "../support/shared-hub.ts";

const server = sharedHub(anyDatabase, { HUB_LIMITS: "off", HUB_REPLAY_SECONDS: "0" });
const eve = sharedUser(server, "eve");
const { signal } = new AbortController();
let count = 0;

/** Publishes a bundle, pushes a run of it, and rescores the run. */
async function rescored({
  bundle,
  rewards = (_, honest) => honest,
  isStall = false,
}: Pick<BundleLie, "bundle" | "rewards" | "isStall">) {
  count += 1;
  const name = await publishBundle(server, eve, { bare: `chess-${count}`, code: bundleOf(bundle) });
  const rollouts = Array.from({ length: lyingExamples }, (_, example) => {
    const win = rewards(example, Number(example % 2 === 0));
    return testRollout({ example, reply: `move ${example}`, scores: { win } });
  });
  const id = await pushRun(server, eve, await testRun(server, name, rollouts, { partLines: 7 }));
  return await rescore(id, isStall ? 3000 : 60_000);
}

async function rescore(id: string, group = 60_000) {
  const { hub } = server;
  const run = await requireRun(hub.database, undefined, id);
  const { version_id: versionId } = await hub.database
    .selectFrom("runs")
    .where("id", "=", id)
    .select("version_id")
    .executeTakeFirstOrThrow();
  const limits = { total: 120_000, group, signal };
  return await rescoreRun(hub, { run, versionId }, limits);
}

test("confirms the run of an honest bundle", async () => {
  expect(await rescored({ bundle: {} })).toMatchObject({
    outcome: "rescored",
    evidence: { rollouts: lyingExamples },
  });
});

test.each(bundleLies.map((lie) => [lie.name, lie.outcome, lie] as const))(
  "answers a bundle that %s → %s",
  async (_, outcome, { reason, ...lie }) => {
    const result = await rescored(lie);
    expect(result.outcome).toBe(outcome);
    if (reason !== undefined)
      expect(result).toMatchObject({ reason: expect.stringMatching(reason) as string });
  },
);

/** Pushes a declared run of an honest bundle, and rescores the run. */
async function declared({
  declared: { select, size },
  played,
}: Omit<SampleLie, "outcome" | "found">) {
  count += 1;
  const code = bundleOf({});
  const name = await publishBundle(server, eve, { bare: `sample-${count}`, code });
  const rollouts = played.map((example) =>
    testRollout({
      example,
      prompt: "Your move.",
      reply: `move ${example}`,
      scores: { win: Number(example % 2 === 0) },
    }),
  );
  const details = { ...(select !== undefined && { select }) };
  const config = { level: "unusual" };
  const run = await testRun(server, name, rollouts, { config, details });
  return await rescore(await pushRun(server, eve, await declare(server, eve, run, { size })));
}

test.each([
  ["a filter", { select: "index >= 30", size: 10 }, 30],
  [
    "keys",
    { select: Array.from({ length: 10 }, (_, at) => `key=e${30 + at}`).join(","), size: 10 },
    30,
  ],
] as const)("confirms a declared run of %s", async (_, fields, first) => {
  const played = Array.from({ length: 10 }, (__, index) => first + index);
  const lie = { name: "", declared: fields, played };
  expect(await declared(lie)).toMatchObject({ outcome: "rescored" });
});

test.each(sampleLies.map((lie) => [lie.name, lie.outcome, lie] as const))(
  "answers a user who %s → %s",
  async (_, outcome, lie) => {
    const result = await declared(lie);
    expect(result.outcome).toBe(outcome);
    expect(JSON.stringify(result)).toContain(lie.found);
  },
);
