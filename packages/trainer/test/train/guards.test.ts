import { expect, test } from "vitest";

import { watch } from "../../src/train/guards.ts";
import { trainingPlan } from "../../src/train/plan.ts";
import type { StepReport } from "../../src/train/step-report.ts";

const plan = trainingPlan.parse({ phases: {}, guards: { patience: 3 } });

const report = (values: StepReport["values"], nonFinite = 0): StepReport => ({
  values,
  nonFinite,
  rollouts: [],
  tokens: 0,
});

test("numbers that are not finite stop training at once, and say what to change", () => {
  const check = watch(plan, "sft");
  check(1, report({ loss: 1, gradientNorm: 2 }));
  expect(() => check(2, report({ loss: Number.NaN }))).toThrow(
    "Step 2 has numbers that are not finite. The weights grew beyond bounds: lower optimizer.learningRate, or set optimizer.clipNorm.",
  );
  expect(() => check(2, report({ loss: 1, gradientNorm: Infinity }))).toThrow("not finite");
  expect(() => check(2, report({ loss: 1 }, 1))).toThrow("not finite");
});

test("an exploding loss stops training", () => {
  expect(() => watch(plan, "sft")(7, report({ loss: 51 }))).toThrow(
    "The loss of step 7 is 51.0, more than guards.maxLoss = 50: it explodes.",
  );
});

test("a bad sign must last", () => {
  const check = watch(plan, "rl");
  const silent = report({ entropy: 0, loss: 0 });
  check(1, silent);
  check(2, silent);
  check(3, report({ entropy: 0.5, loss: 0 }));
  check(4, silent);
  check(5, silent);
  expect(() => check(6, silent)).toThrow(
    "For 3 steps, up to step 6, the entropy has been below guards.minEntropy",
  );
});

test("groups without a difference, and rollouts without an end, stop training after a while", () => {
  const same = watch(plan, "rl");
  const endless = watch(plan, "rl");
  const flat = report({ zeroVariance: 1, reward: 0.2, entropy: 1 });
  const cut = report({ truncated: 0.99, entropy: 1 });
  for (const step of [1, 2]) {
    same(step, flat);
    endless(step, cut);
  }
  expect(() => same(3, flat)).toThrow("had the same reward (0.200 on average)");
  expect(() => endless(3, cut)).toThrow("99 % of the rollouts ran into a limit");
});

test("what is normal for supervised learning is no sign", () => {
  const check = watch(plan, "sft");
  for (let step = 1; step < 10; step += 1) check(step, report({ entropy: 0, loss: 0 }));
  expect(() => check(10, report({ entropy: 0, loss: 0 }))).not.toThrow();
});
