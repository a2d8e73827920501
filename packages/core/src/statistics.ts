/** Numbers about a sample; `null` where it is empty. `std` is the population's, as numpy computes it. */
export interface Statistics {
  readonly count: number;
  /** How many are above 0. */
  readonly positive: number;
  readonly mean: number | null;
  readonly std: number | null;
  readonly min: number | null;
  readonly max: number | null;
}

/** How many values are at least `from` and below `to`; the last bin includes `to`. If they are equal: how many are that. */
export interface HistogramBin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/**
 * Adds up values without keeping each: equal values share one counter, which rewards mostly are. Beyond 4,096
 * different values the histogram is made of those; mean and std stay exact (Welford 1962).
 */
export class SampleStatistics {
  #mean = 0;
  #squares = 0;
  #min = Infinity;
  #max = -Infinity;
  readonly #counts = new Map<number, number>();
  #positive = 0;
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
    if (known !== undefined || this.#counts.size < 4096) this.#counts.set(value, (known ?? 0) + 1);
  }

  statistics(): Statistics {
    if (this.count === 0)
      return { count: 0, positive: 0, mean: null, std: null, min: null, max: null };
    return {
      count: this.count,
      positive: this.#positive,
      mean: this.#mean,
      std: Math.sqrt(this.#squares / this.count),
      min: this.#min,
      max: this.#max,
    };
  }

  /** One bin for each value if there are at most `bins` different ones, else so many of equal width. */
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
