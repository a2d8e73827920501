import type { Interval } from "./bootstrap.ts";

/** The 99.5 % quantile of the standard normal distribution. */
const z = 2.575_829_303_548_901;

/** The 99 % interval of the mean of a sample: mean ± t · s/√n. `undefined` for fewer than two values. */
export function meanInterval(values: readonly number[]): Interval | undefined {
  const count = values.length;
  if (count < 2) return undefined;
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return intervalAround(mean, Math.sqrt(squares / (count - 1) / count), count - 1);
}

/**
 * The 99 % interval of how much a straight line through a series rises from its first to its last value (least squares).
 * `undefined` for fewer than three values.
 */
export function riseInterval(series: readonly number[]): Interval | undefined {
  const count = series.length;
  if (count < 3) return undefined;
  const middle = (count - 1) / 2;
  const mean = meanOf(series);
  const spread = series.reduce((sum, _, index) => sum + (index - middle) ** 2, 0);
  const slope =
    series.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0) / spread;
  const residual = series.reduce(
    (sum, value, index) => sum + (value - mean - slope * (index - middle)) ** 2,
    0,
  );
  const error = Math.sqrt(residual / (count - 2) / spread);
  const length = count - 1;
  return intervalAround(slope * length, error * length, count - 2);
}

/** The mean of a non-empty sample. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function intervalAround(mean: number, standardError: number, degreesOfFreedom: number): Interval {
  const margin = studentQuantile(degreesOfFreedom) * standardError;
  return { mean, low: mean - margin, high: mean + margin };
}

/** The 99.5 % quantile of Student's t, by the Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5). */
function studentQuantile(degreesOfFreedom: number): number {
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return (
    z + first / degreesOfFreedom + second / degreesOfFreedom ** 2 + third / degreesOfFreedom ** 3
  );
}
