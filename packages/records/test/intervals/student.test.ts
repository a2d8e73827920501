import { meanInterval, meanOf, riseInterval } from "@envs/records";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const values = fc.array(fc.double({ min: -1e3, max: 1e3, noNaN: true }), {
  minLength: 3,
  maxLength: 50,
});

describe("meanInterval()", () => {
  test("returns Student's interval", () => {
    // scipy.stats.t.interval(0.99, 9, loc=5.5, scale=scipy.stats.sem(range(1, 11)))
    const { mean, low, high } = meanInterval([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])!;
    expect(mean).toBe(5.5);
    expect(high - mean).toBeCloseTo(3.249836 * Math.sqrt(55 / 6 / 10), 2);
    expect(mean - low).toBeCloseTo(high - mean, 12);
  });

  test("approaches the normal distribution's interval for a large sample", () => {
    const sample = Array.from({ length: 10_000 }, (_, index) => index % 2);
    expect(meanInterval(sample)!.high - 0.5).toBeCloseTo((2.5758 * 0.5) / 100, 4);
  });

  test("ignores the order of the values and shifts with them", () => {
    fc.assert(
      fc.property(values, fc.double({ min: -10, max: 10, noNaN: true }), (sample, shift) => {
        const interval = meanInterval(sample)!;
        const reversed = meanInterval(sample.toReversed())!;
        const shifted = meanInterval(sample.map((value) => value + shift))!;
        expect(reversed.low).toBeCloseTo(interval.low, 6);
        expect(shifted.low).toBeCloseTo(interval.low + shift, 6);
        expect(shifted.high).toBeCloseTo(interval.high + shift, 6);
      }),
    );
  });

  test("returns undefined for one value and a point for equal values", () => {
    expect(meanInterval([1])).toBeUndefined();
    expect(meanInterval([2, 2, 2])).toEqual({ mean: 2, low: 2, high: 2 });
  });
});

describe("riseInterval()", () => {
  test("returns the exact rise of a straight line", () => {
    const { mean, low, high } = riseInterval([1, 2, 3, 4, 5])!;
    for (const value of [mean, low, high]) expect(value).toBeCloseTo(4, 12);
  });

  test("changes its sign when the series is reversed", () => {
    fc.assert(
      fc.property(values, (series) => {
        const forward = riseInterval(series)!;
        const backward = riseInterval(series.toReversed())!;
        expect(backward.mean).toBeCloseTo(-forward.mean, 6);
        expect(backward.low).toBeCloseTo(-forward.high, 6);
      }),
    );
  });

  test("returns a mean within its bounds", () => {
    fc.assert(
      fc.property(values, (series) => {
        const { low, mean, high } = riseInterval(series)!;
        expect(low).toBeLessThanOrEqual(mean);
        expect(mean).toBeLessThanOrEqual(high);
      }),
    );
  });

  test("returns 0 for a constant series and undefined for two values", () => {
    expect(riseInterval([3, 3, 3, 3])).toEqual({ mean: 0, low: 0, high: 0 });
    expect(riseInterval([1, 2])).toBeUndefined();
  });
});

test("meanOf() returns a value between the minimum and the maximum", () => {
  fc.assert(
    fc.property(values, (sample) => {
      expect(meanOf(sample)).toBeGreaterThanOrEqual(Math.min(...sample) - 1e-9);
      expect(meanOf(sample)).toBeLessThanOrEqual(Math.max(...sample) + 1e-9);
    }),
  );
});
