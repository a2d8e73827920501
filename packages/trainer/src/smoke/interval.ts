/** A number that was estimated, and between which bounds it lies with 99 % confidence. */
export interface Interval {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** The quantile of the normal distribution that 0.5 % lie beyond. */
const z = 2.575_829_303_548_901;

/** The 99 % interval of the mean of a sample: mean ± t · s/√n. `undefined` for fewer than two values. */
export function intervalOf(values: readonly number[]): Interval | undefined {
  const count = values.length;
  if (count < 2) return undefined;
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return around(mean, Math.sqrt(squares / (count - 1) / count), count - 1);
}

/**
 * The 99 % interval of how much a straight line through a series rises from its first to its last value (least squares).
 * `undefined` for fewer than three values.
 */
export function riseOf(series: readonly number[]): Interval | undefined {
  const count = series.length;
  if (count < 3) return undefined;
  const middle = (count - 1) / 2;
  const mean = meanOf(series);
  const spread = series.reduce((sum, _, place) => sum + (place - middle) ** 2, 0);
  const slope =
    series.reduce((sum, value, place) => sum + (place - middle) * (value - mean), 0) / spread;
  const residual = series.reduce(
    (sum, value, place) => sum + (value - mean - slope * (place - middle)) ** 2,
    0,
  );
  const error = Math.sqrt(residual / (count - 2) / spread);
  const length = count - 1;
  return around(slope * length, error * length, count - 2);
}

/** The mean of a sample that is not empty. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function around(mean: number, error: number, freedom: number): Interval {
  const margin = quantileOfT(freedom) * error;
  return { mean, low: mean - margin, high: mean + margin };
}

/** Student's t at the place of {@link z}, by the expansion of Cornish and Fisher (Abramowitz and Stegun 26.7.5). */
function quantileOfT(freedom: number): number {
  const first = (z ** 3 + z) / 4;
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96;
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384;
  return z + first / freedom + second / freedom ** 2 + third / freedom ** 3;
}
