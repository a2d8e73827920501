import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { figure, range } from "../../src/smoke/figures.ts";
import { intervalOf, meanOf, riseOf } from "../../src/smoke/interval.ts";

const values = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), {
  minLength: 3,
  maxLength: 50,
});

describe("the interval of a mean", () => {
  test("is Student's", () => {
    // scipy.stats.t.interval(0.99, 9, loc=5.5, scale=scipy.stats.sem(range(1, 11)))
    const { mean, low, high } = intervalOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])!;
    expect(mean).toBe(5.5);
    expect(high - mean).toBeCloseTo(3.249836 * Math.sqrt(55 / 6 / 10), 2);
    expect(mean - low).toBeCloseTo(high - mean, 12);
  });

  test("of a large sample is the normal distribution's", () => {
    const sample = Array.from({ length: 10_000 }, (_, index) => index % 2);
    expect(intervalOf(sample)!.high - 0.5).toBeCloseTo((2.5758 * 0.5) / 100, 4);
  });

  test("does not depend on the order, and moves with the values", () => {
    fc.assert(
      fc.property(values, fc.double({ min: -10, max: 10, noNaN: true }), (sample, shift) => {
        const plain = intervalOf(sample)!;
        const turned = intervalOf(sample.toReversed())!;
        const shifted = intervalOf(sample.map((value) => value + shift))!;
        expect(turned.low).toBeCloseTo(plain.low, 6);
        expect(shifted.low).toBeCloseTo(plain.low + shift, 6);
        expect(shifted.high).toBeCloseTo(plain.high + shift, 6);
      }),
    );
  });

  test("of one value does not exist; of equal values it is a point", () => {
    expect(intervalOf([1])).toBeUndefined();
    expect(intervalOf([2, 2, 2])).toEqual({ mean: 2, low: 2, high: 2 });
  });
});

describe("the rise of a series", () => {
  test("of a straight line is its own, for certain", () => {
    const { mean, low, high } = riseOf([1, 2, 3, 4, 5])!;
    for (const value of [mean, low, high]) expect(value).toBeCloseTo(4, 12);
  });

  test("turned round has the other sign", () => {
    fc.assert(
      fc.property(values, (series) => {
        const there = riseOf(series)!;
        const back = riseOf(series.toReversed())!;
        expect(back.mean).toBeCloseTo(-there.mean, 6);
        expect(back.low).toBeCloseTo(-there.high, 6);
      }),
    );
  });

  test("lies within its bounds, and is none where nothing changes", () => {
    fc.assert(
      fc.property(values, (series) => {
        const { low, mean, high } = riseOf(series)!;
        expect(low).toBeLessThanOrEqual(mean);
        expect(mean).toBeLessThanOrEqual(high);
      }),
    );
    expect(riseOf([3, 3, 3, 3])).toEqual({ mean: 0, low: 0, high: 0 });
    expect(riseOf([1, 2])).toBeUndefined();
  });
});

test("figures have as many decimals as their error leaves meaning to", () => {
  expect(figure(0.416_79, 0.04)).toBe("0.42");
  expect(figure(0.416_79, 0.004)).toBe("0.417");
  expect(figure(103.7, 12)).toBe("104");
  expect(figure(1, 0)).toBe("1.00");
  expect(figure(-0.001, 0.04)).toBe("0.00");
  expect(range({ mean: 0.1, low: 0.056, high: 0.144 })).toBe("0.06 to 0.14");
});

test("the mean of a sample is between its least and its most", () => {
  fc.assert(
    fc.property(values, (sample) => {
      expect(meanOf(sample)).toBeGreaterThanOrEqual(Math.min(...sample) - 1e-9);
      expect(meanOf(sample)).toBeLessThanOrEqual(Math.max(...sample) + 1e-9);
    }),
  );
});
