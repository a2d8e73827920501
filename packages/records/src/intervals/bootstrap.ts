import { random, type Seed } from "@envs/core";

/** An estimate of a mean with its confidence interval. */
export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** The maximum number of resampled values, so that large runs take a fraction of a second. */
const maxDraws = 4_000_000;
const maxResamples = 2000;
const minResamples = 200;

/**
 * The mean of all values with its 95 % percentile interval from a bootstrap over groups: the rollouts of one example depend on
 * each other, so whole examples are drawn with replacement. The same groups and seed give the same interval on every machine.
 * `undefined` for fewer than two groups that have values. Source: Efron and Tibshirani 1993, "An Introduction to the Bootstrap".
 */
export function bootstrapMean(
  groups: Iterable<readonly number[]>,
  seed: Seed = 0,
): Interval | undefined {
  const filled = [...groups].filter((values) => values.length > 0);
  const size = filled.length;
  if (size < 2) return undefined;
  const sums = Float64Array.from(filled, sumOf);
  const counts = Float64Array.from(filled, (values) => values.length);
  const draws = random(seed, "bootstrap");
  const resamples = Math.max(minResamples, Math.min(maxResamples, Math.floor(maxDraws / size)));
  const means = new Float64Array(resamples);
  for (let resample = 0; resample < resamples; resample += 1) {
    let sum = 0;
    let count = 0;
    for (let draw = 0; draw < size; draw += 1) {
      const index = draws.int(size);
      sum += sums[index]!;
      count += counts[index]!;
    }
    means[resample] = sum / count;
  }
  means.sort();
  return {
    mean: sumOf(sums) / sumOf(counts),
    low: quantile(means, 0.025),
    high: quantile(means, 0.975),
  };
}

function sumOf(values: Iterable<number>): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** Interpolates between the two nearest of sorted values, as numpy does. */
function quantile(sorted: Float64Array, share: number): number {
  const position = share * (sorted.length - 1);
  const below = sorted[Math.floor(position)]!;
  const above = sorted[Math.ceil(position)]!;
  return below + (above - below) * (position - Math.floor(position));
}
