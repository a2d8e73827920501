import fc from "fast-check";
import { expect, test } from "vitest";

import { decoupledAdvantages } from "../../src/algorithms/decoupled-advantages.ts";

/** GDPO as the paper writes it: loops over scores, groups, and then the batch. */
function plain(groups: number[][][], weights: number[]): number[][] {
  const mean = (values: number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
  const std = (values: number[]): number =>
    values.length < 2
      ? 0
      : Math.sqrt(
          values.reduce((sum, value) => sum + (value - mean(values)) ** 2, 0) / (values.length - 1),
        );
  const sums = groups.map((group) =>
    group.map((scores) => {
      let sum = 0;
      for (const [k, weight] of weights.entries()) {
        const column = group.map((other) => other[k]!);
        if (column.length > 1) sum += (weight * (scores[k]! - mean(column))) / (std(column) + 1e-4);
      }
      return sum;
    }),
  );
  const all = sums.flat();
  return sums.map((group) => group.map((sum) => (sum - mean(all)) / (std(all) + 1e-4)));
}

const score = fc.constantFrom(0, 0.25, 0.5, 1);

test("GDPO matches a plain implementation", () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.tuple(score, score), { minLength: 1, maxLength: 5 }), {
        minLength: 1,
        maxLength: 4,
      }),
      fc.tuple(fc.constantFrom(1, 0.2), fc.constantFrom(1, -0.5, 0)),
      (groups, weights) => {
        const actual = decoupledAdvantages(groups, weights);
        const expected = plain(groups, weights);
        actual.forEach((group, place) =>
          group.forEach((value, member) => expect(value).toBeCloseTo(expected[place]![member]!, 8)),
        );
      },
    ),
    { numRuns: 50 },
  );
});

test("rollouts with equal rewards and different scores have different advantages", () => {
  // The rewards are 1, 1 and 0: GRPO would give the first two the same advantage.
  const [first, second] = decoupledAdvantages(
    [
      [
        [1, 0],
        [0, 1],
        [0, 0],
        [0, 0.5],
      ],
    ],
    [1, 1],
  )[0]!;
  expect(first).not.toBeCloseTo(second!, 2);
});

test("failed rollouts and missing scores are left out", () => {
  const [group] = decoupledAdvantages([[[1, null], undefined, [0, null]]], [1, 1]);
  expect(group![1]).toBeUndefined();
  expect(group![0]).toBeGreaterThan(0);
  expect(group![0]! + group![2]!).toBeCloseTo(0, 9);
});
