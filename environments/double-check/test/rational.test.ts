import fc from "fast-check";
import { expect, test } from "vitest";

import {
  add,
  divide,
  format,
  greatestCommonDivisor,
  isEqual,
  multiply,
  rational,
  subtract,
} from "../src/rational.ts";

const number = fc
  .tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.bigInt({ min: 1n, max: 10n ** 6n }))
  .map(([top, bottom]) => rational(top, bottom));

test("rational() reduces to lowest terms and puts the sign in the numerator", () => {
  expect(rational(6, -8)).toEqual({ numerator: -3n, denominator: 4n });
  fc.assert(
    fc.property(number, ({ numerator, denominator }) => {
      expect(denominator).toBeGreaterThan(0n);
      expect(greatestCommonDivisor(numerator, denominator)).toBe(1n);
    }),
  );
});

test("subtraction inverts addition, and division inverts multiplication", () => {
  fc.assert(
    fc.property(number, number, (a, b) => {
      expect(isEqual(subtract(add(a, b), b), a)).toBe(true);
      fc.pre(b.numerator !== 0n);
      expect(isEqual(divide(multiply(a, b), b), a)).toBe(true);
    }),
  );
});

test("multiplication distributes over addition", () => {
  fc.assert(
    fc.property(number, number, number, (a, b, c) => {
      expect(isEqual(multiply(a, add(b, c)), add(multiply(a, b), multiply(a, c)))).toBe(true);
    }),
  );
});

test("format() omits the denominator 1", () => {
  expect([rational(14, 2), rational(-3, 4), rational(0, 5)].map(format)).toEqual([
    "7",
    "-3/4",
    "0",
  ]);
});

test("rational() and divide() throw a RangeError for the denominator 0", () => {
  expect(() => rational(1, 0)).toThrow(RangeError);
  expect(() => divide(rational(1), rational(0))).toThrow(RangeError);
});
