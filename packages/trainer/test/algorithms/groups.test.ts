import fc from "fast-check";
import { expect, test } from "vitest";

import { dropZeroVariance, minibatches } from "../../src/algorithms/groups.ts";

test("groups without a gradient are dropped and counted by reason", () => {
  const groups = [
    [1, 1],
    [0, 1],
    [1, undefined],
    [0.3, 0.1 + 0.2, undefined],
    [],
    [0, 0.5, undefined],
  ];
  expect(dropZeroVariance(groups, (rewards) => rewards)).toEqual({
    groups: [
      [0, 1],
      [0, 0.5, undefined],
    ],
    zeroVariance: 2 / 6,
  });
});

test("minibatches keep the order of groups, and their sizes differ by at most one", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), (size, count) => {
      fc.pre(count <= size);
      const groups = Array.from({ length: size }, (_, index) => index);
      const parts = minibatches(groups, count);
      expect(parts.flat()).toEqual(groups);
      expect(parts).toHaveLength(count);
      const sizes = parts.map((part) => part.length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }),
  );
});

test("more minibatches than groups are rejected", () => {
  expect(() => minibatches([1, 2], 3)).toThrow("Cannot split 2 groups into 3 minibatches");
  expect(() => minibatches([], 1)).toThrow("0 groups");
});
