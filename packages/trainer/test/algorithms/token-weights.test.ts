import fc from "fast-check";
import { expect, test } from "vitest";

import { tokenWeights } from "../../src/algorithms/token-weights.ts";

test("token: every token has the same weight", () => {
  expect(tokenWeights([1, 3])).toEqual([0.25, 0.25]);
});

test("sequence: every sequence has the same weight, and masked ones count for the batch size", () => {
  expect(tokenWeights([1, 4, 0, 2], { aggregation: "sequence" })).toEqual([
    1 / 4,
    1 / 16,
    0,
    1 / 8,
  ]);
});

test("constant: the weight of a token does not depend on lengths", () => {
  const settings = { aggregation: "constant", maxCompletionLength: 10 } as const;
  expect(tokenWeights([1, 4], settings)).toEqual([1 / 20, 1 / 20]);
  expect(() => tokenWeights([1], { aggregation: "constant" })).toThrow("maxCompletionLength");
});

test("sum: a sequence counts by its length, as in LUSPO", () => {
  const lengths = [1, 4, 0, 2];
  const weights = tokenWeights(lengths, { aggregation: "sum" });
  // LUSPO: the mean over sequences of length · loss of the sequence.
  const losses = [0.5, -1, 7, 2];
  const plain = lengths.reduce((sum, length, index) => sum + length * losses[index]!, 0) / 4;
  const ours = lengths.reduce(
    (sum, length, index) => sum + length * weights[index]! * losses[index]!,
    0,
  );
  expect(ours).toBeCloseTo(plain, 12);
  expect(weights[2]).toBe(0);
});

test("token and sequence weights sum to 1 over all tokens", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (counts) => {
      for (const aggregation of ["token", "sequence"] as const) {
        const weights = tokenWeights(counts, { aggregation });
        const sum = counts.reduce((total, count, index) => total + count * weights[index]!, 0);
        expect(sum).toBeCloseTo(1, 9);
      }
    }),
  );
});

test("sequences without trained tokens have the weight 0", () => {
  for (const aggregation of ["token", "sequence"] as const) {
    expect(tokenWeights([], { aggregation })).toEqual([]);
    expect(tokenWeights([0, 0], { aggregation })).toEqual([0, 0]);
  }
});
