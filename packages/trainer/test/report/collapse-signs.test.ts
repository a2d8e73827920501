import { expect, test } from "vitest";

import { collapseSigns } from "../../src/report/collapse-signs.ts";
import type { MetricsRow } from "../../src/report/metrics.ts";
import { demoMetrics } from "./fixtures/demo.ts";

test("collapseSigns() returns an empty list for a successful run", () => {
  for (const seed of [1, 2, 3, 4, 5]) expect(collapseSigns(demoMetrics(seed))).toEqual([]);
});

test("collapseSigns() describes a collapse with figures and advice", () => {
  expect(collapseSigns(demoMetrics(1, "collapse"))).toMatchInlineSnapshot(`
    [
      "rl: the reward ended at 0.401, below its maximum of 0.88 at step 111.",
      "rl: the format score fell from 0.973 to 0.502: the model is losing the reply format.",
      "rl: the entropy fell from 0.628 to 0.0188 nats per token: the model stopped exploring. Set loss.entropyTarget or raise the temperature.",
    ]
  `);
});

test("collapseSigns() reports a non-finite loss with its step", () => {
  const rows = demoMetrics(1).map((row): MetricsRow =>
    row.phase === "sft" && row.step > 58 && row.kind === "sft"
      ? { ...row, values: { ...row.values, loss: null } }
      : row,
  );
  expect(collapseSigns(rows)).toEqual([
    "sft: loss was not finite at 2 steps, first step 59. Lower the learning rate or the clip norm.",
  ]);
});

test("collapseSigns() reports groups with equal rewards and growing replies", () => {
  const rows = Array.from({ length: 60 }, (_, index): MetricsRow => ({
    phase: "rl",
    step: index + 1,
    kind: "rl",
    at: index,
    values: { zeroVariance: 0.97, length: 20 + index },
  }));
  expect(collapseSigns(rows).map((sign) => sign.slice(0, 32))).toMatchInlineSnapshot(`
    [
      "rl: the mean reply length went f",
      "rl: 97 % of the last groups had ",
    ]
  `);
});

/** An RL phase of 60 steps, with the values of each step. */
const phaseOf = (valuesAt: (share: number) => MetricsRow["values"]): MetricsRow[] =>
  Array.from({ length: 60 }, (_, index) => ({
    phase: "rl",
    step: index + 1,
    kind: "rl",
    at: index,
    values: { rewardDeviation: 0.4, ...valuesAt(index / 59) },
  }));

test("collapseSigns() reports a reward that never rises", () => {
  const [sign, ...others] = collapseSigns(
    phaseOf((share) => ({ reward: 0.3 + 0.01 * Math.sin(40 * share) })),
  );
  expect(sign).toContain("rl: the reward never rose: it was 0.304 in the first steps");
  expect(others).toEqual([]);
  expect(collapseSigns(phaseOf((share) => ({ reward: 0.3 + 0.1 * share })))).toEqual([]);
});

test("collapseSigns() reports a low entropy only without a better reward", () => {
  const falling = (share: number) => 0.6 * (1 - share);
  const learned = phaseOf((share) => ({ reward: share, entropy: falling(share) }));
  expect(collapseSigns(learned)).toEqual([]);
  const stuck = phaseOf((share) => ({ reward: 0.3, entropy: falling(share) }));
  expect(collapseSigns(stuck).join("\n")).toContain("the model stopped exploring");
});

test("collapseSigns() reports a rising entropy with advice to bound it", () => {
  const rows = phaseOf((share) => ({ reward: 0.3 + share / 2, entropy: 0.85 + 1.5 * share }));
  expect(collapseSigns(rows).join("\n")).toContain("Set loss.entropyTarget instead of a constant");
});

test("collapseSigns() ignores short phases", () => {
  expect(collapseSigns(demoMetrics(1, "collapse").slice(0, 75))).toEqual([]);
});
