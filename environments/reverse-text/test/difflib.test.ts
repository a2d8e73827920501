import fc from "fast-check";
import { expect, test } from "vitest";

import { subsequenceRatio } from "../src/common-subsequence.ts";
import { difflibRatio } from "../src/difflib.ts";
import python from "./fixtures/difflib.json" with { type: "json" };

test("difflibRatio() equals Python's ratio to the last bit", () => {
  for (const { left, right, ratio } of python.cases) expect(difflibRatio(left, right)).toBe(ratio);
});

test("Python's cases cover short texts, long texts and frequent characters", () => {
  const long = python.cases.filter(({ right }) => Array.from(right).length >= 200);
  expect(long.length).toBeGreaterThan(20);
  // Without that rule the ratio of these two would be 400 / 402.
  expect(difflibRatio(`${"a".repeat(200)}b`, `b${"a".repeat(200)}`)).toBeLessThan(0.1);
});

test("difflibRatio() of a text with itself is 1", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      fc.pre(Array.from(text).length < 200);
      expect(difflibRatio(text, text)).toBe(1);
    }),
  );
});

test("difflibRatio() accepts 200,000 equal characters", () => {
  // prose-ignore: sample text
  expect(difflibRatio("e".repeat(200_000), "The ferry was late, and nobody minded.")).toBeLessThan(
    0.01,
  );
});

test("difflibRatio() never exceeds subsequenceRatio()", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", " "), maxLength: 250 });
  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(difflibRatio(left, right)).toBeLessThanOrEqual(subsequenceRatio(left, right));
    }),
  );
});
