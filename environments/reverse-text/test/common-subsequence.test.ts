import fc from "fast-check";
import { expect, test } from "vitest";

import { subsequenceRatio } from "../src/common-subsequence.ts";

/** The textbook algorithm: dynamic programming over a table. */
function lengthByTable(a: readonly string[], b: readonly string[]): number {
  let above = Array.from({ length: b.length + 1 }, () => 0);
  for (const item of a) {
    const row = [0];
    b.forEach((other, j) =>
      row.push(item === other ? above[j]! + 1 : Math.max(above[j + 1]!, row[j]!)),
    );
    above = row;
  }
  return above.at(-1)!;
}

const text = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", "b", "c", " "), maxLength: 120 }),
  fc.string({ unit: "binary", maxLength: 60 }),
);

test("subsequenceRatio() equals the textbook algorithm", () => {
  fc.assert(
    fc.property(text, text, (left, right) => {
      const [a, b] = [Array.from(left), Array.from(right)];
      const total = a.length + b.length;
      const expected = total === 0 ? 1 : (2 * lengthByTable(a, b)) / total;
      expect(subsequenceRatio(left, right)).toBe(expected);
    }),
  );
});

test("subsequenceRatio() is symmetric", () => {
  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(subsequenceRatio(left, right)).toBe(subsequenceRatio(right, left));
    }),
  );
});

test.each([
  ["", "", 1],
  ["abc", "", 0],
  ["abc", "abc", 1],
  ["abc", "cba", 1 / 3],
  ["abcd", "acd", 6 / 7],
  ["naïve", "evïan", 1 / 5],
  ["😀😃", "😃😀", 1 / 2],
])("subsequenceRatio(%j, %j) returns %d", (left, right, ratio) => {
  expect(subsequenceRatio(left, right)).toBe(ratio);
});

test("subsequenceRatio() accepts 200,000 characters", () => {
  expect(subsequenceRatio("ab ".repeat(66_667), "a b".repeat(100))).toBeCloseTo(600 / 200_301, 10);
});
