import { expect, test } from "vitest";

import { createGuards } from "../../src/train/guards.ts";
import { trainingPlan } from "../../src/train/plan.ts";
import type { StepReport } from "../../src/train/step-report.ts";

const plan = trainingPlan.parse({ phases: {}, guards: { patience: 3 } });

const report = (values: StepReport["values"], nonFinite = 0): StepReport => ({
  values,
  nonFinite,
  rollouts: [],
  tokens: 0,
});

test("non-finite numbers stop training at once", () => {
  const check = createGuards(plan, "sft");
  check(1, report({ loss: 1, gradientNorm: 2 }));
  expect(() => check(2, report({ loss: Number.NaN }))).toThrow(
    "Step 2 has numbers that are not finite. Lower optimizer.learningRate, or set optimizer.clipNorm.",
  );
  expect(() => check(2, report({ loss: 1, gradientNorm: Infinity }))).toThrow("not finite");
  expect(() => check(2, report({ loss: 1 }, 1))).toThrow("not finite");
});

test("an exploding loss stops training", () => {
  expect(() => createGuards(plan, "sft")(7, report({ loss: 51 }))).toThrow(
    "The loss of step 7 is 51.0, more than guards.maxLoss = 50.",
  );
});

test("low entropy stops training after guards.patience consecutive steps", () => {
  const check = createGuards(plan, "rl");
  const lowEntropy = report({ entropy: 0, loss: 0 });
  check(1, lowEntropy);
  check(2, lowEntropy);
  check(3, report({ entropy: 0.5, loss: 0 }));
  check(4, lowEntropy);
  check(5, lowEntropy);
  expect(() => check(6, lowEntropy)).toThrow(
    "For 3 steps, up to step 6, the entropy has been below guards.minEntropy",
  );
});

test("zero variance and truncated rollouts stop training after guards.patience steps", () => {
  const varianceGuard = createGuards(plan, "rl");
  const truncationGuard = createGuards(plan, "rl");
  const zeroVariance = report({ zeroVariance: 1, reward: 0.2, entropy: 1 });
  const truncated = report({ truncated: 0.99, entropy: 1 });
  for (const step of [1, 2]) {
    varianceGuard(step, zeroVariance);
    truncationGuard(step, truncated);
  }
  expect(() => varianceGuard(3, zeroVariance)).toThrow("had the same reward (0.200 on average)");
  expect(() => truncationGuard(3, truncated)).toThrow("99 % of the rollouts were truncated");
});

/** Steps with constant values. */
const repeat = (count: number, values: StepReport["values"]): StepReport[] =>
  Array.from({ length: count }, () => report(values));

function errorOf(reports: readonly StepReport[]): string | undefined {
  const check = createGuards(plan, "rl");
  try {
    reports.forEach((each, index) => check(index + 1, each));
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

const calm = { entropy: 0.8, reward: 0.6, rewardDeviation: 0.3, truncated: 0 };

test("rising entropy stops training, with advice to bound it", () => {
  const message = errorOf([...repeat(5, calm), ...repeat(3, { ...calm, entropy: 1.9 })]);
  expect(message).toContain(
    "the entropy (1.90 nats per token) has been more than guards.maxEntropyRise = 1 above that of the first steps (0.80)",
  );
  expect(message).toContain("Set loss.entropyTarget instead of a constant loss.entropyCoefficient");
  expect(errorOf([...repeat(5, calm), ...repeat(9, { ...calm, entropy: 1.7 })])).toBeUndefined();
});

test("a reward that falls by a standard deviation stops training, and one that recovers does not", () => {
  const fallen = { ...calm, reward: 0.25 };
  expect(errorOf([...repeat(5, calm), ...repeat(3, fallen)])).toContain(
    "the reward (0.250) has been below that of the first steps (0.600) by more than guards.maxRewardFall = 1 standard deviations within a group (0.300)",
  );
  const dips = [...repeat(2, fallen), ...repeat(1, calm), ...repeat(2, fallen), ...repeat(1, calm)];
  expect(errorOf([...repeat(5, calm), ...dips])).toBeUndefined();
});

test("truncated rollouts are explained by the entropy if it rose", () => {
  const endless = { ...calm, truncated: 1, entropy: 1.5 };
  const message = errorOf([...repeat(5, calm), ...repeat(3, endless)]);
  expect(message).toContain("since the entropy rose from 0.80 to 1.50 nats per token");
  expect(message).not.toContain("Raise maxTokens");
});

test("the guards of RL do not apply to supervised learning", () => {
  const check = createGuards(plan, "sft");
  for (let step = 1; step < 10; step += 1) check(step, report({ entropy: 0, loss: 0 }));
  expect(() => check(10, report({ entropy: 0, loss: 0 }))).not.toThrow();
});
