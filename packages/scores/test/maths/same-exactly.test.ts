import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { sameExactly } from "../../src/maths/exact/same-exactly.ts";
import { number, spellings } from "./support/numbers.ts";
import { readPairs, unboxed } from "./support/pairs.ts";

const pairs = readPairs();

describe("sameExactly", () => {
  it("accepts no pair that Math-Verify or a mathematician rejects", () => {
    const accepted = pairs.filter((pair) => {
      const { answer, reference } = unboxed(pair);
      return sameExactly(answer, reference);
    });
    expect(accepted.filter(({ same, mathVerify }) => !same || !mathVerify)).toEqual([]);
    expect(accepted.length).toBeGreaterThan(75);
  });

  it("is symmetric on all pairs", () => {
    for (const pair of pairs) {
      const { answer, reference } = unboxed(pair);
      expect(sameExactly(reference, answer), answer).toBe(sameExactly(answer, reference));
    }
  });

  it("accepts every spelling of a number, and no spelling of another number", () => {
    fc.assert(
      fc.property(number, number, (a, b) => {
        const isSame = a.numerator * b.denominator === b.numerator * a.denominator;
        for (const first of spellings(a)) {
          for (const second of spellings(a)) expect(sameExactly(first, second)).toBe(true);
          for (const second of spellings(b)) expect(sameExactly(first, second)).toBe(isSame);
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ["1,200", "1{,}200"],
    ["\\$1,200.50", "1200.5"],
    ["1\\frac{1}{2}", "1.5"],
    ["-\\frac{1}{2}", "\\frac{-1}{2}"],
    ["12.5\\%", "12.50%"],
    ["\\left\\{3, 1\\right\\}", "1,3"],
    ["[0.5, 1)", "\\left[\\frac12, 1\\right)"],
    ["(-\\infty, 3]", "(-\\infty,3.0]"],
    ["\\frac{\\pi}{4}", "\\frac{\\pi}{4}"],
  ])("accepts %s for %s", (answer, reference) => {
    expect(sameExactly(answer, reference)).toBe(true);
  });

  it.each([
    ["10%", "0.1"],
    ["0.333", "1/3"],
    ["(1,2)", "[1,2]"],
    ["(1,2)", "\\{1,2\\}"],
    ["(1,200)", "(1,200.0)"],
    ["-1\\frac{1}{2}", "-1.5"],
    ["1/0", "2/0"],
    ["cm", "cm"],
    ["1}{", "1}{"],
    ["٤٢", "٤٢"],
    ["9".repeat(10_000), "9".repeat(10_000)],
  ])("leaves %s for %s to Math-Verify", (answer, reference) => {
    expect(sameExactly(answer, reference)).toBe(false);
  });
});
