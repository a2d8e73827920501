import fc from "fast-check";
import { expect, test } from "vitest";

import { dropZeroVariance, minibatches, stratifiedBatches } from "../../src/algorithms/groups.ts";

test("groups that teach nothing are dropped, and counted by reason", () => {
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
    report: { groups: 6, kept: 2, zeroVariance: 2, tooFew: 2 },
  });
});

const strata = fc.array(fc.constantFrom("easy", "normal", "hard"), { maxLength: 60 });
const groupsOf = (names: readonly string[]): { name: string; id: number }[] =>
  names.map((name, id) => ({ name, id }));

test("every batch spans the strata, nearly in their proportion", () => {
  fc.assert(
    fc.property(strata, fc.integer({ min: 1, max: 12 }), fc.nat(), (names, batchSize, seed) => {
      const groups = groupsOf(names);
      const batches = stratifiedBatches(groups, ({ name }) => name, { batchSize, seed });
      expect(batches.flat().sort((left, right) => left.id - right.id)).toEqual(groups);
      expect(batches.slice(0, -1).every((batch) => batch.length === batchSize)).toBe(true);
      for (const stratum of new Set(names))
        for (const batch of batches) {
          const share = names.filter((name) => name === stratum).length / names.length;
          const count = batch.filter(({ name }) => name === stratum).length;
          expect(Math.abs(count - share * batch.length)).toBeLessThan(3);
        }
    }),
  );
});

test("strata of equal size fill every batch equally", () => {
  const groups = groupsOf(Array.from({ length: 48 }, (_, place) => `level ${place % 4}`));
  for (const batch of stratifiedBatches(groups, ({ name }) => name, { batchSize: 8, seed: 3 })) {
    const counts = [...Map.groupBy(batch, ({ name }) => name).values()].map((same) => same.length);
    expect(counts).toEqual([2, 2, 2, 2]);
  }
});

test("one seed gives one order, another seed another", () => {
  const groups = groupsOf(Array.from({ length: 30 }, (_, place) => `level ${place % 3}`));
  const order = (seed: number): string =>
    JSON.stringify(stratifiedBatches(groups, ({ name }) => name, { batchSize: 6, seed }));
  expect(order(1)).toBe(order(1));
  expect(order(1)).not.toBe(order(2));
});

test("minibatches keep groups whole and in order, and differ by at most one", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), (size, count) => {
      fc.pre(count <= size);
      const groups = Array.from({ length: size }, (_, place) => place);
      const parts = minibatches(groups, count);
      expect(parts.flat()).toEqual(groups);
      expect(parts).toHaveLength(count);
      const sizes = parts.map((part) => part.length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    }),
  );
});

test("a batch too small for its minibatches is refused", () => {
  expect(() => minibatches([1, 2], 3)).toThrow("2 groups cannot be cut into 3 minibatches");
  expect(() => minibatches([], 1)).toThrow("0 groups");
  expect(() => stratifiedBatches([1], String, { batchSize: 0 })).toThrow("batchSize");
});
