import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { defineEnvironment, type Environment, type Model, policy, rollouts } from "@envs/core";
import { createRun, readMetadata, readRun } from "@envs/records/node";
import { describe, expect, it } from "vitest";

import type { RescoreSettings } from "../src/rescore/rescore-group.ts";
import { rescoreRun } from "../src/rescore/rescore-run.ts";
import { temporaryFolder } from "./command.ts";

interface Version {
  readonly shortest?: number;
  readonly answer?: (value: number) => string;
}

/** A counting game, whose rubric and answers change between its versions. */
const counting = ({ shortest = 1, answer = String }: Version = {}) =>
  defineEnvironment({
    name: "counting",
    dataset: () => [1, 2, 3, 4].map((start) => ({ prompt: `${start}`, start, id: `${start}` })),
    setup: ({ example }) => ({ count: example.start }),
    respond({ state }) {
      state.count += 1;
      return answer(state.count);
    },
    episode: { maxTurns: 2 },
    rubric: {
      counted: ({ state, example }) => state.count === example.start + 2,
      short: { weight: shortest, score: ({ reply }) => reply.length < 2 },
      kind: {
        needs: ["judge"],
        score: async ({ judge, reply }) => {
          const { message } = await judge!({ messages: [{ role: "user", content: reply }] });
          return { score: Number(message.content), feedback: message.content };
        },
      },
      rank: { weight: 0, group: (all) => all.map((_, index) => index / all.length) },
    },
    policies: { one: () => "1", long: ({ turns }) => "1".repeat(turns + 1) },
  });

const judgeOf = (verdict: string): Model =>
  Object.assign(
    async () => ({
      message: { role: "assistant" as const, content: verdict },
      finish: "stop" as const,
    }),
    { id: "strict" },
  );

async function played(environment: Environment, model: Model = policy("one")) {
  const path = join(await temporaryFolder(), "run");
  const run = await createRun(path, {
    schema_version: 1,
    env_id: environment.name,
    env_args: {},
    model: model.id ?? "model",
    num_examples: 4,
    rollouts_per_example: 2,
    sampling_args: {},
    pass_threshold: 0.5,
  });
  const options = { model, judge: judgeOf("0.5"), examples: 4, rolloutsPerExample: 2 };
  for await (const rollout of rollouts(environment, options)) await run.append(rollout);
  await run.close();
  return path;
}

async function rescored(
  path: string,
  environment: Environment,
  settings: Partial<RescoreSettings> = {},
) {
  const out = join(await temporaryFolder(), "new");
  const report = await rescoreRun(environment, {
    path,
    metadata: await readMetadata(path),
    out,
    fields: { weights: { short: 3 } },
    seed: undefined,
    maxTurns: undefined,
    judge: undefined,
    onRescored: () => {},
    signal: new AbortController().signal,
    ...settings,
  });
  const lines = (await readFile(join(out, "rescore.jsonl"), "utf8")).trim().split("\n");
  const rows = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as unknown);
  return { report, rows, run: await readRun(out) };
}

describe("rescoreRun", () => {
  it("writes the same run if the environment is the same", async () => {
    const path = await played(counting()());
    const { report, rows, run } = await rescored(path, counting()());
    expect(report.counts).toEqual({
      scored: 8,
      changed: 0,
      diverged: 0,
      failed: 0,
      unreadable: 0,
    });
    expect(rows).toEqual([]);
    const before = await readRun(path);
    const byKey = (all: typeof run.rollouts) =>
      all.toSorted(
        (a, b) => a.exampleIndex * 9 + a.rolloutIndex - b.exampleIndex * 9 - b.rolloutIndex,
      );
    expect(byKey(run.rollouts)).toEqual(byKey(before.rollouts));
  });

  it("writes the rewards of the present rubric to a new run, and reports each change", async () => {
    const path = await played(counting()());
    const { report, rows, run } = await rescored(path, counting({ shortest: 3 })());
    expect(report.counts).toMatchObject({ scored: 8, changed: 8 });
    expect(rows).toHaveLength(8);
    expect(rows[0]).toEqual({
      example_id: expect.any(Number),
      example_key: expect.any(String),
      rollout_index: expect.any(Number),
      reward: [2.5, 4.5],
      scores: {},
    });
    expect(run.rollouts[0]).toMatchObject({ reward: 4.5, scores: { counted: 1, short: 1 } });
    expect(run.metadata).toMatchObject({ avg_reward: 4.5, is_complete: true });
    expect((await readRun(path)).rollouts[0]).toMatchObject({ reward: 2.5 });
  });

  it("leaves out a rollout whose replay diverges, and names the message", async () => {
    const path = await played(counting()());
    const answer = (value: number): string => (value === 4 ? "four" : String(value));
    const { report, rows, run } = await rescored(path, counting({ answer })());
    expect(report.counts).toMatchObject({ scored: 4, diverged: 4 });
    expect(run.rollouts).toHaveLength(4);
    expect(rows.find((row) => (row as { example_id: number }).example_id === 2)).toMatchObject({
      diverged: {
        message: 2,
        recorded: { content: "4" },
        replayed: { content: "four" },
        problem: "Message 2 is another one.",
      },
    });
  });

  it("keeps the verdicts of judges unless it asks one", async () => {
    const path = await played(counting()());
    const { run: kept } = await rescored(path, counting()());
    expect(kept.rollouts[0]).toMatchObject({ scores: { kind: 0.5 }, feedback: { kind: "0.5" } });
    const { report, run } = await rescored(path, counting()(), { judge: judgeOf("0") });
    expect(report.counts.changed).toBe(8);
    expect(run.rollouts[0]).toMatchObject({
      reward: 2,
      scores: { kind: 0 },
      feedback: { kind: "0" },
      judgeUsage: { strict: { calls: 1 } },
    });
  });

  it("scores the rollouts of an example as a group", async () => {
    const path = await played(counting()(), policy("long"));
    const { run } = await rescored(path, counting()());
    const ranks = run.rollouts.map((rollout) => rollout.status === "scored" && rollout.scores.rank);
    expect(new Set(ranks)).toEqual(new Set([0, 0.5]));
  });

  it("keeps rollouts that had failed, and counts lines that cannot be read", async () => {
    const path = await played(counting()(), async ({ messages }) => {
      if (messages[0]!.content === "3") throw new Error("away");
      return { message: { role: "assistant", content: "1" }, finish: "stop" };
    });
    const { appendFile } = await import("node:fs/promises");
    await appendFile(join(path, "results.jsonl"), "{}\n");
    const { report, run } = await rescored(path, counting()());
    expect(report.counts).toMatchObject({ scored: 6, failed: 2, unreadable: 1 });
    expect(run.rollouts.filter(({ status }) => status === "failed")).toHaveLength(2);
  });
});
