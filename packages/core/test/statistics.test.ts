import fc from "fast-check";
import { expect, test } from "vitest";

import { SampleStatistics } from "../src/statistics.ts";

const sample = fc.array(
  fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => value + 0),
  { minLength: 1, maxLength: 200 },
);

function statisticsOf(values: readonly number[]): SampleStatistics {
  const statistics = new SampleStatistics();
  for (const value of values) statistics.add(value);
  return statistics;
}

test("mean and std equal those of two passes over the values", () => {
  fc.assert(
    fc.property(sample, (values) => {
      const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
      const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
      const result = statisticsOf(values).statistics();
      expect(result).toMatchObject({
        count: values.length,
        min: Math.min(...values),
        max: Math.max(...values),
      });
      expect(Math.abs(result.mean! - mean)).toBeLessThan(1e-6);
      expect(Math.abs(result.std! - Math.sqrt(variance))).toBeLessThan(1e-3);
    }),
  );
});

test("values far from zero keep their spread", () => {
  const values = [1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16];
  expect(statisticsOf(values).statistics()).toMatchObject({
    mean: 1e9 + 10,
    std: Math.sqrt(22.5),
  });
});

test("an empty sample has no mean and no histogram", () => {
  const statistics = new SampleStatistics();
  expect(statistics.statistics()).toMatchObject({
    count: 0,
    mean: null,
    std: null,
    min: null,
    max: null,
  });
  expect(statistics.histogram(10)).toEqual([]);
});

test("every value is in one bin, and the bins cover the sample without a gap", () => {
  fc.assert(
    fc.property(sample, fc.integer({ min: 1, max: 20 }), (values, count) => {
      const statistics = statisticsOf(values);
      const { min, max } = statistics.statistics();
      const bins = statistics.histogram(count);
      expect(bins.reduce((sum, bin) => sum + bin.count, 0)).toBe(values.length);
      expect(bins[0]!.from).toBe(min);
      expect(bins.at(-1)!.to).toBe(max);
      if (new Set(values).size > count)
        bins.slice(1).forEach(({ from }, place) => expect(from).toBe(bins[place]!.to));
    }),
  );
});

test("a value on an edge belongs to the bin above it, the greatest to the last", () => {
  const bins = statisticsOf([0, 1, 2, 2, 3, 4]).histogram(4);
  expect(bins.map(({ count }) => count)).toEqual([1, 1, 2, 2]);
});

test("equal values make one bin", () => {
  expect(statisticsOf([1.2, 0.2, 1.2]).histogram(10)).toEqual([
    { from: 0.2, to: 0.2, count: 1 },
    { from: 1.2, to: 1.2, count: 2 },
  ]);
  expect(statisticsOf([0.5, 0.5]).histogram(10)).toEqual([{ from: 0.5, to: 0.5, count: 2 }]);
});

test("many different values keep exact statistics and a histogram of bounded size", () => {
  const statistics = statisticsOf(Array.from({ length: 20_000 }, (_, index) => index));
  expect(statistics.statistics()).toMatchObject({ count: 20_000, mean: 9999.5, max: 19_999 });
  expect(statistics.histogram(10)).toHaveLength(10);
});
