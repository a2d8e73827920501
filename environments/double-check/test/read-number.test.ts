import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { expect, test } from "vitest";

import { format, isEqual, rational } from "../src/rational.ts";
import { readNumber } from "../src/read-number.ts";

test.each([
  ["42", "42"],
  [" 42. ", "42"],
  ["+7", "7"],
  ["-7", "-7"],
  ["− 7", "-7"],
  ["1,234,567", "1234567"],
  ["1{,}200", "1200"],
  ["0.75", "3/4"],
  [".5", "1/2"],
  ["-2.50", "-5/2"],
  ["3/4", "3/4"],
  ["6 / 8", "3/4"],
  ["1.5/3", "1/2"],
  ["1 1/2", "3/2"],
  ["-1 1/2", "-3/2"],
  ["\\frac{3}{4}", "3/4"],
  ["-\\dfrac{3}{4}", "-3/4"],
  ["\\frac{-3}{4}", "-3/4"],
  ["2\\frac{1}{3}", "7/3"],
  ["x = 5", "5"],
  ["x=-\\frac{1}{2}", "-1/2"],
  ["$42$", "42"],
  ["\\(42\\)", "42"],
  ["12 apples", "12"],
  ["12 \\text{ apples}", "12"],
  ["1,200\\,\\text{km}", "1200"],
])("readNumber(%j) returns %s", (text, number) => {
  expect(format(readNumber(text)!)).toBe(number);
});

test.each([
  "",
  ".",
  "-",
  "1/0",
  "1/",
  "/2",
  "5 or 6",
  "2 + 2",
  "five",
  "12,34",
  "1.2.3",
  "1/2/3",
  "--1",
  "∞",
  "NaN",
  "0x10",
  "1e3",
])("readNumber(%j) returns undefined", (text) => {
  expect(readNumber(text)).toBeUndefined();
});

test("readNumber() inverts format()", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
      fc.bigInt({ min: 1n, max: 10n ** 30n }),
      (top, bottom) => {
        const number = rational(top, bottom);
        expect(isEqual(readNumber(format(number))!, number)).toBe(true);
      },
    ),
  );
});

test("readNumber() never throws", () => {
  fc.assert(
    fc.property(
      fc.string({
        unit: fc.constantFrom(...Array.from("0123456789/.,-+ \\{}$x=frac")),
        maxLength: 100,
      }),
      (text) => {
        expect(() => readNumber(text)).not.toThrow();
      },
    ),
    { numRuns: cases(2000) },
  );
});

test("readNumber() does not parse text over 100 characters", () => {
  expect(readNumber("9".repeat(1_000_000))).toBeUndefined();
});
