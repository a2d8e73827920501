import fc from "fast-check";
import { expect, test } from "vitest";

import { judge, wrongAnswer } from "../src/verdict.ts";

test("judge() accepts every notation of the right value", () => {
  expect(["3/4", "0.75", "\\frac{6}{8}"].map((text) => judge(text, "3/4"))).toEqual([
    "right",
    "right",
    "right",
  ]);
});

test("judge() rejects a rounded answer", () => {
  expect(judge("0.333333333333333333", "1/3")).toBe("wrong");
});

test('judge() returns "missing" for text without a number', () => {
  expect([judge(undefined, "5"), judge("five", "5"), judge("", "5")]).toEqual([
    "missing",
    "missing",
    "missing",
  ]);
});

test("wrongAnswer() is always judged wrong", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 1000 }), (top, bottom) => {
      const right = `${top}/${bottom}`;
      expect(judge(wrongAnswer(right), right)).toBe("wrong");
    }),
  );
});
