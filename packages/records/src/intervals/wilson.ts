/** An interval of a share, from 0 to 1. */
export interface ShareInterval {
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % quantile of the normal distribution: intervals cover 95 %. */
const z = 1.959963984540054;

/**
 * The 95 % interval of a mean of `count` independent values between 0 and 1: Wilson's (1927) interval for `count` coin tosses. No
 * value between 0 and 1 varies more than a coin with the same mean, so the interval is never too narrow. It has a width even if
 * every value is 1; a bootstrap would not.
 */
export function wilsonInterval(mean: number, count: number): ShareInterval {
  if (count < 1) return { low: 0, high: 1 };
  const scale = 1 + z ** 2 / count;
  const center = (mean + z ** 2 / (2 * count)) / scale;
  const half = (z * Math.sqrt((mean * (1 - mean)) / count + z ** 2 / (4 * count ** 2))) / scale;
  return {
    low: mean === 0 ? 0 : Math.max(0, center - half),
    high: mean === 1 ? 1 : Math.min(1, center + half),
  };
}

/** The number of values, all of them 1, whose interval begins at `low`; `Infinity` for a `low` of 1. */
export function perfectCount(low: number): number {
  // The lower bound of n perfect values is n / (n + z²). The tolerance ignores rounding.
  return low >= 1 ? Infinity : Math.ceil((low * z ** 2) / (1 - low) - 1e-9);
}
