import fc from "fast-check";
import { expect, test } from "vitest";

import {
  advantages,
  hasZeroVariance,
  type AdvantageEstimator,
} from "../../src/algorithms/advantages.ts";

const estimators: readonly AdvantageEstimator[] = ["grpo", "dr_grpo", "batch", "rloo"];
const reward = fc.integer({ min: -300, max: 300 }).map((value) => value / 100);
const rewards = fc.array(fc.option(reward, { nil: undefined }), { maxLength: 8 });
const groups = fc.array(rewards, { maxLength: 5 });

const flat = (groups: readonly (readonly (number | undefined)[])[]): number[] =>
  groups.flat().filter((value) => value !== undefined);

const expectClose = (actual: readonly number[], expected: readonly number[]): void => {
  expect(actual.length).toBe(expected.length);
  actual.forEach((value, index) => expect(value).toBeCloseTo(expected[index]!, 6));
};

test("each estimator matches its formula", () => {
  const group = [1, 0, 0, 1, 0.5];
  const mean = 0.5;
  const std = Math.sqrt(4 * 0.25 * (1 / 4));
  const estimate = (estimator: AdvantageEstimator): number[] =>
    flat(advantages([group], estimator));
  expectClose(estimate("dr_grpo"), [0.5, -0.5, -0.5, 0.5, 0]);
  expectClose(
    estimate("grpo"),
    group.map((value) => (value - mean) / (std + 1e-4)),
  );
  expectClose(estimate("batch"), estimate("grpo"));
  expectClose(estimate("rloo"), [1 - 1.5 / 4, 0 - 2.5 / 4, 0 - 2.5 / 4, 1 - 1.5 / 4, 0.5 - 2 / 4]);
});

test("batch divides by the standard deviation of all rewards", () => {
  const [wide, narrow] = advantages(
    [
      [0, 10],
      [4, 6],
    ],
    "batch",
  );
  const std = Math.sqrt((25 + 25 + 1 + 1) / 3);
  expectClose(
    flat([wide!, narrow!]),
    [-5, 5, -1, 1].map((value) => value / (std + 1e-4)),
  );
});

test.each(estimators)("%s: the advantages of a group sum to 0", (estimator) => {
  fc.assert(
    fc.property(groups, (all) => {
      for (const group of advantages(all, estimator))
        expect(flat([group]).reduce((sum, value) => sum + value, 0)).toBeCloseTo(0, 6);
    }),
  );
});

test.each(estimators)(
  "%s: a constant added to all rewards does not change advantages",
  (estimator) => {
    fc.assert(
      fc.property(groups, reward, (all, bonus) => {
        const raised = all.map((group) =>
          group.map((value) => (value === undefined ? value : value + bonus)),
        );
        expectClose(flat(advantages(raised, estimator)), flat(advantages(all, estimator)));
      }),
    );
  },
);

test("grpo does not depend on the scale of rewards, dr_grpo and rloo are proportional to it", () => {
  fc.assert(
    fc.property(groups, fc.constantFrom(2, 10, 100), (all, unit) => {
      const scaled = all.map((group) =>
        group.map((value) => (value === undefined ? value : value * unit)),
      );
      flat(advantages(scaled, "grpo")).forEach((value, index) => {
        const before = flat(advantages(all, "grpo"))[index]!;
        // The standard deviation is at least 0.003, so that 1e-4 changes little.
        expect(Math.abs(value - before)).toBeLessThanOrEqual(0.05 * Math.abs(before) + 1e-9);
      });
      for (const estimator of ["dr_grpo", "rloo"] as const)
        expectClose(
          flat(advantages(scaled, estimator)),
          flat(advantages(all, estimator)).map((value) => value * unit),
        );
    }),
  );
});

test.each(estimators)("%s: failed rollouts are ignored", (estimator) => {
  fc.assert(
    fc.property(groups, (all) => {
      const result = advantages(all, estimator);
      expect(result.map((group) => group.map((value) => value === undefined))).toEqual(
        all.map((group) => group.map((value) => value === undefined)),
      );
      const known = all.map((group) => group.filter((value) => value !== undefined));
      expectClose(flat(result), flat(advantages(known, estimator)));
    }),
  );
});

test("the advantage of a single rollout is 0", () => {
  for (const estimator of estimators)
    expect(advantages([[undefined, 3], []], estimator)).toEqual([[undefined, 0], []]);
});

test("a standard deviation below 1e-6 counts as zero variance", () => {
  expect(hasZeroVariance([0.1 + 0.2, 0.3, undefined])).toBe(true);
  expect(hasZeroVariance([1, undefined])).toBe(true);
  expect(hasZeroVariance([])).toBe(true);
  expect(hasZeroVariance([1, 1, 1.001])).toBe(false);
  expect(hasZeroVariance([1, 1, 1.001], 0.01)).toBe(true);
});
