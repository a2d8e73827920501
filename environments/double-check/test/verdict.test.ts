import fc from "fast-check";
import { expect, test } from "vitest";

import { judge, wrongAnswer } from "../src/verdict.ts";

test("an answer is right whatever its notation", () => {
  expect(["3/4", "0.75", "\\frac{6}{8}"].map((text) => judge(text, "3/4"))).toEqual([
    "right",
    "right",
    "right",
  ]);
});

test("rounding is wrong", () => {
  expect(judge("0.333333333333333333", "1/3")).toBe("wrong");
});

test("no text and text without a number are missing", () => {
  expect([judge(undefined, "5"), judge("five", "5"), judge("", "5")]).toEqual([
    "missing",
    "missing",
    "missing",
  ]);
});

test("a wrong answer is always judged wrong", () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 1, max: 1000 }), (top, bottom) => {
      const right = `${top}/${bottom}`;
      expect(judge(wrongAnswer(right), right)).toBe("wrong");
    }),
  );
});
