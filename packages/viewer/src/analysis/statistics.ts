/** The mean; `null` of no values. */
export function mean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The population's standard deviation; 0 of less than two values. */
export function deviation(values: readonly number[]): number {
  const center = mean(values) ?? 0;
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  return values.length < 2 ? 0 : Math.sqrt(squares / values.length);
}

export interface Bin {
  readonly from: number;
  readonly to: number;
  /** The counts, one per sample. */
  readonly counts: readonly number[];
}

/** Counts several samples in the same bins: one bin per distinct value if there are at most 12, else 20 of equal width. */
export function histogram(samples: readonly (readonly number[])[]): readonly Bin[] {
  const values = [...new Set(samples.flat())].toSorted((a, b) => a - b);
  if (values.length === 0) return [];
  const counts = (from: number, to: number, isLast: boolean): readonly number[] =>
    samples.map(
      (sample) =>
        sample.filter((value) => value >= from && (isLast ? value <= to : value < to)).length,
    );
  if (values.length <= 12)
    return values.map((value) => ({ from: value, to: value, counts: counts(value, value, true) }));
  const [first, last] = [values[0]!, values.at(-1)!];
  const width = (last - first) / 20;
  return Array.from({ length: 20 }, (_, index) => {
    const isLast = index === 19;
    const [from, to] = [first + index * width, isLast ? last : first + (index + 1) * width];
    return { from, to, counts: counts(from, to, isLast) };
  });
}
