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

test("the guards of RL do not apply to supervised learning", () => {
  const check = createGuards(plan, "sft");
  for (let step = 1; step < 10; step += 1) check(step, report({ entropy: 0, loss: 0 }));
  expect(() => check(10, report({ entropy: 0, loss: 0 }))).not.toThrow();
});
