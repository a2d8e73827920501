/** Statistics of a sample; `null` if it is empty. `std` is the population's standard deviation, as numpy computes it. */
export interface Statistics {
  readonly count: number;
  /** The number of values above 0. */
  readonly positive: number;
  readonly mean: number | null;
  readonly std: number | null;
  readonly min: number | null;
  readonly max: number | null;
}

/** The number of values of at least `from` and below `to`. The last bin includes `to`, and so does a bin with `from` = `to`. */
export interface HistogramBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/**
 * Computes statistics without storing every value: equal values, which are frequent among rewards, share one counter. The
 * histogram counts the first 4,096 distinct values only. Up to there, mean and std do not depend on the order of the values, so that
 * one process and several give the same digits; beyond, they are those of Welford (1962).
 */
export class SampleStatistics {
  #mean = 0;
  #squares = 0;
  #min = Infinity;
  #max = -Infinity;
  readonly #counts = new Map<number, number>();
  #positive = 0;
  /** The number of values in {@link #counts}. */
  #counted = 0;
  count = 0;

  add(value: number): void {
    this.count += 1;
    if (value > 0) this.#positive += 1;
    const distance = value - this.#mean;
    this.#mean += distance / this.count;
    this.#squares += distance * (value - this.#mean);
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
    const known = this.#counts.get(value);
    if (known === undefined && this.#counts.size === 4096) return;
    this.#counts.set(value, (known ?? 0) + 1);
    this.#counted += 1;
  }

  statistics(): Statistics {
    if (this.count === 0)
      return { count: 0, positive: 0, mean: null, std: null, min: null, max: null };
    const { mean, squares } = this.#moments();
    return {
      count: this.count,
      positive: this.#positive,
      mean,
      std: Math.sqrt(squares / this.count),
      min: this.#min,
      max: this.#max,
    };
  }

  /** The mean, and the sum of the squared distances from it. */
  #moments(): { readonly mean: number; readonly squares: number } {
    if (this.#counted < this.count) return { mean: this.#mean, squares: this.#squares };
    const counts = [...this.#counts].toSorted(([a], [b]) => a - b);
    // Relative to the smallest value, so that equal values give an exact mean and a deviation of 0.
    const excess = counts.reduce((sum, [value, count]) => sum + (value - this.#min) * count, 0);
    const mean = this.#min + excess / this.count;
    const squares = counts.reduce((sum, [value, count]) => sum + count * (value - mean) ** 2, 0);
    return { mean, squares };
  }

  /** Returns one bin per distinct value if at most `bins` are distinct, else `bins` bins of equal width. */
  histogram(bins: number): HistogramBin[] {
    if (this.#counts.size <= bins)
      return [...this.#counts]
        .toSorted(([a], [b]) => a - b)
        .map(([value, count]) => ({ from: value, to: value, count }));
    const width = (this.#max - this.#min) / bins;
    const counts = Array.from({ length: bins }, () => 0);
    for (const [value, count] of this.#counts)
      counts[Math.min(bins - 1, Math.floor((value - this.#min) / width))]! += count;
    return counts.map((count, bin) => ({
      from: this.#min + bin * width,
      to: bin === bins - 1 ? this.#max : this.#min + (bin + 1) * width,
      count,
    }));
  }
}

/**
 * The unbiased estimate of the probability that at least one of `k` attempts succeeds, from `n` attempts of which `correct`
 * succeeded: 1 − C(n − c, k) / C(n, k). Source: Chen et al. 2021, "Evaluating Large Language Models Trained on Code".
 */
export function passAtK(n: number, correct: number, k: number): number {
  if (n - correct < k) return 1;
  let miss = 1;
  for (let i = n - correct + 1; i <= n; i += 1) miss *= 1 - k / i;
  return 1 - miss;
}

/** The unbiased estimate of the probability that all of `k` attempts succeed: C(c, k) / C(n, k). Source: Yao et al. 2024, "τ-bench". */
export function passHatK(n: number, correct: number, k: number): number {
  if (correct < k) return 0;
  let all = 1;
  for (let i = 0; i < k; i += 1) all *= (correct - i) / (n - i);
  return all;
}
