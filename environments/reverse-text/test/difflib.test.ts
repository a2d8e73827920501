import fc from "fast-check";
import { expect, test } from "vitest";

import { subsequenceRatio } from "../src/common-subsequence.ts";
import { difflibRatio } from "../src/difflib.ts";
import python from "./fixtures/difflib.json" with { type: "json" };

test("every ratio is the one that Python computes, to the last bit", () => {
  for (const { left, right, ratio } of python.cases) expect(difflibRatio(left, right)).toBe(ratio);
});

test("the cases of Python cover short texts, long ones, and frequent characters that begin no match", () => {
  const long = python.cases.filter(({ right }) => Array.from(right).length >= 200);
  expect(long.length).toBeGreaterThan(20);
  // Without that rule the ratio of these two would be 400 / 402.
  expect(difflibRatio(`${"a".repeat(200)}b`, `b${"a".repeat(200)}`)).toBeLessThan(0.1);
});

test("a text is equal to itself", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
      fc.pre(Array.from(text).length < 200);
      expect(difflibRatio(text, text)).toBe(1);
    }),
  );
});

test("a long answer of one repeated character is compared in bounded time", () => {
  expect(difflibRatio("e".repeat(200_000), "The ferry was late, and nobody minded.")).toBeLessThan(
    0.01,
  );
});

test("it is at most the ratio of the longest common subsequence", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "c", " "), maxLength: 250 });
  fc.assert(
    fc.property(text, text, (left, right) => {
      expect(difflibRatio(left, right)).toBeLessThanOrEqual(subsequenceRatio(left, right));
    }),
  );
});
