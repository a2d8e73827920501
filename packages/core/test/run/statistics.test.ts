import fc from "fast-check";
import { expect, test } from "vitest";

import { random } from "../../src/random.ts";
import { passAtK, passHatK, SampleStatistics } from "../../src/run/statistics.ts";

const sample = fc.array(
  fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => value + 0),
  { minLength: 1, maxLength: 200 },
);

function statisticsOf(values: readonly number[]): SampleStatistics {
  const statistics = new SampleStatistics();
  for (const value of values) statistics.add(value);
  return statistics;
}

test("mean and std equal the results of a two-pass computation", () => {
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

test("std is exact for values far from zero", () => {
  const values = [1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16];
  expect(statisticsOf(values).statistics()).toMatchObject({
    mean: 1e9 + 10,
    std: Math.sqrt(22.5),
  });
});

test("an empty sample has neither mean nor histogram", () => {
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

test("every value is in one bin, and the bins have no gap", () => {
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

test("a value on an edge is in the bin above it, the maximum in the last bin", () => {
  const bins = statisticsOf([0, 1, 2, 2, 3, 4]).histogram(4);
  expect(bins.map(({ count }) => count)).toEqual([1, 1, 2, 2]);
});

test("equal values are in one bin", () => {
  expect(statisticsOf([1.2, 0.2, 1.2]).histogram(10)).toEqual([
    { from: 0.2, to: 0.2, count: 1 },
    { from: 1.2, to: 1.2, count: 2 },
  ]);
  expect(statisticsOf([0.5, 0.5]).histogram(10)).toEqual([{ from: 0.5, to: 0.5, count: 2 }]);
});

test("statistics are exact and the histogram is bounded for many distinct values", () => {
  const statistics = statisticsOf(Array.from({ length: 20_000 }, (_, index) => index));
  expect(statistics.statistics()).toMatchObject({ count: 20_000, mean: 9999.5, max: 19_999 });
  expect(statistics.histogram(10)).toHaveLength(10);
});

/** The share of the choices of `k` attempts that satisfy `isMatch`. */
function shareOfChoices(
  attempts: readonly boolean[],
  k: number,
  isMatch: (choice: readonly boolean[]) => boolean,
): number {
  let choices = 0;
  let matches = 0;
  for (let mask = 0; mask < 2 ** attempts.length; mask += 1) {
    const choice = attempts.filter((_, index) => (mask >> index) & 1);
    if (choice.length !== k) continue;
    choices += 1;
    if (isMatch(choice)) matches += 1;
  }
  return matches / choices;
}

test("pass@k and pass^k equal an enumeration of all choices of k attempts", () => {
  for (let n = 1; n <= 9; n += 1)
    for (let correct = 0; correct <= n; correct += 1)
      for (let k = 1; k <= n; k += 1) {
        const attempts = Array.from({ length: n }, (_, index) => index < correct);
        const any = shareOfChoices(attempts, k, (choice) => choice.includes(true));
        const all = shareOfChoices(attempts, k, (choice) => !choice.includes(false));
        expect(passAtK(n, correct, k)).toBeCloseTo(any, 12);
        expect(passHatK(n, correct, k)).toBeCloseTo(all, 12);
      }
});

test("pass@1 and pass^1 equal the share of correct attempts", () => {
  expect(passAtK(10, 3, 1)).toBeCloseTo(0.3, 12);
  expect(passHatK(10, 3, 1)).toBeCloseTo(0.3, 12);
});

test("pass@k and pass^k are between 0 and 1, and pass^k does not exceed pass@k", () => {
  const sizes = fc
    .integer({ min: 1, max: 5000 })
    .chain((n) => fc.tuple(fc.constant(n), fc.nat({ max: n }), fc.integer({ min: 1, max: n })));
  fc.assert(
    fc.property(sizes, ([n, correct, k]) => {
      const any = passAtK(n, correct, k);
      const all = passHatK(n, correct, k);
      expect(all).toBeGreaterThanOrEqual(0);
      expect(any).toBeLessThanOrEqual(1);
      expect(all).toBeLessThanOrEqual(any + 1e-12);
    }),
  );
});

test("it gives the same digits in every order", () => {
  const values = Array.from({ length: 500 }, (_, index) => random("order", index).int(1000) / 7);
  const statisticsOf = (sample: readonly number[]) => {
    const statistics = new SampleStatistics();
    for (const value of sample) statistics.add(value);
    return statistics.statistics();
  };
  const expected = statisticsOf(values);
  for (let times = 0; times < 20; times += 1)
    expect(statisticsOf(random("shuffle", times).shuffle(values))).toEqual(expected);
  expect(statisticsOf([0.1, 0.1, 0.1])).toMatchObject({ mean: 0.1, std: 0 });
});
