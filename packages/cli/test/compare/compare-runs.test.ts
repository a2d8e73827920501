import { defineEnvironment, evaluate, type Model } from "@envs/core";
import { parseMetadata } from "@envs/records";
import type { StoredRun } from "@envs/records/node";
import { describe, expect, test } from "vitest";

import { compareRuns } from "../../src/compare/compare-runs.ts";
import { comparisonMarkdown, comparisonText } from "../../src/compare/comparison-text.ts";

/** An environment whose reward is the number in the reply. */
const echo = defineEnvironment({
  name: "echo",
  dataset: () =>
    Array.from({ length: 12 }, (_, index) => ({ prompt: `q ${index}`, id: `q-${index}` })),
  rubric: { value: ({ reply }) => Number(reply), positive: ({ reply }) => Number(reply) > 0 },
});

/** A run whose rewards are a function of the example's position. `undefined` fails the rollout. */
async function runOf(
  reward: (index: number) => number | undefined,
  { model = "old", config = {}, environment = "echo" } = {},
): Promise<StoredRun> {
  const reply: Model = async ({ messages }) => {
    const value = reward(Number((messages[0]!.content as string).slice(2)));
    if (value === undefined) throw new Error("busy");
    return { message: { role: "assistant", content: String(value) }, finish: "stop" };
  };
  const { rollouts } = await evaluate(echo(), {
    model: reply,
    examples: 12,
    rolloutsPerExample: 2,
  });
  const metadata = parseMetadata({ env_id: environment, env_args: config, model });
  return { path: "run", metadata, rollouts, problems: [] };
}

const reward = { score: "reward" };

describe("the verdict", () => {
  test("is worse only if the interval excludes an equal run", async () => {
    const before = await runOf((index) => index / 20);
    const worse = compareRuns([before, await runOf((index) => index / 20 - 0.1)], reward);
    expect(worse).toMatchObject({ verdict: "worse", isRegression: true });
    expect(worse.values[0]).toMatchObject({ name: "reward", worse: 12, better: 0, examples: 12 });

    const noise = await runOf((index) => index / 20 + (index % 2 === 0 ? 0.04 : -0.03));
    expect(compareRuns([before, noise], reward)).toMatchObject({
      verdict: "unclear",
      isRegression: false,
    });
  });

  test("is better if the interval excludes an equal run", async () => {
    const runs = [await runOf(() => 0.2), await runOf((index) => 0.3 + index / 100)] as const;
    expect(compareRuns(runs, reward)).toMatchObject({ verdict: "better", isRegression: false });
  });

  test("is the same for equal runs", async () => {
    const runs = [await runOf((index) => index), await runOf((index) => index)] as const;
    expect(compareRuns(runs, reward)).toMatchObject({ verdict: "same", isRegression: false });
  });

  test("is a regression with a maximum drop unless the interval excludes a greater drop", async () => {
    const before = await runOf(() => 0.5);
    const small = await runOf((index) => (index % 2 === 0 ? 0.49 : 0.5));
    expect(compareRuns([before, small], reward).isRegression).toBe(true);
    const accepted = compareRuns([before, small], { score: "reward", maxDrop: 0.02 });
    expect(accepted).toMatchObject({ verdict: "same", isRegression: false });
    const noise = await runOf((index) => (index % 2 === 0 ? 0.3 : 0.7));
    const unclear = compareRuns([before, noise], { score: "reward", maxDrop: 0.02 });
    expect(unclear).toMatchObject({ verdict: "unclear", isRegression: true });
  });
});

test("compares the examples that both runs have scored, and counts failures separately", async () => {
  const before = await runOf((index) => (index < 2 ? undefined : 0.5));
  const after = await runOf((index) => (index > 10 ? undefined : 0.5));
  const { values, unpaired, failed } = compareRuns([before, after], reward);
  expect(values[0]).toMatchObject({ examples: 9, equal: 9 });
  expect({ unpaired, failed }).toEqual({ unpaired: 3, failed: [4, 2] });
});

test("lists what else differs between the runs", async () => {
  const before = await runOf(() => 1);
  const after = await runOf(() => 1, { model: "new", config: { level: 2 } });
  expect(compareRuns([before, after], reward).differences).toEqual([
    "model: old → new",
    'config: {} → {"level":2}',
  ]);
});

test("rejects runs that cannot be compared", async () => {
  const run = await runOf(() => 1);
  const other = await runOf(() => 1, { environment: "other" });
  expect(() => compareRuns([run, other], reward)).toThrow("The runs are of echo and of other.");
  expect(() => compareRuns([run, run], { score: "speed" })).toThrow(
    'No score named "speed". The runs have: reward, value, positive.',
  );
  const failed = await runOf(() => undefined);
  expect(() => compareRuns([run, failed], reward)).toThrow("0 scored examples in common");
});

test("prints a table, and Markdown that escapes the text of a run", async () => {
  const before = await runOf(() => 1);
  const after = await runOf((index) => (index < 6 ? 0 : 1), { model: "<b>|new" });
  const comparison = compareRuns([before, after], reward);
  expect(comparisonText(comparison)).toContain("reward is worse:");
  expect(comparisonText(comparison)).toContain("#0 q-0: 2.000 → 0.000");
  const markdown = comparisonMarkdown(comparison);
  expect(markdown).toContain("### echo: reward is worse: ");
  expect(markdown).toContain(String.raw`Different model: old → \<b\>\|new`);
  expect(markdown.split("\n").find((line) => line.startsWith("| reward"))).toMatch(
    /^\| reward \| 2\.000 \| 1\.000 \| -1\.000 \| .* \| 0 \| 6 \| 6 \|$/,
  );
});
