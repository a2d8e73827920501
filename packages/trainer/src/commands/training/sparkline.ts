const blocks = "▁▂▃▄▅▆▇█";

/** Draws values as a line of at most `width` blocks. With more values, each block is the mean of several. */
export function sparkline(values: readonly (number | null)[], width: number): string {
  const means = resample(values, Math.max(1, Math.floor(width)));
  const known = means.filter((value) => value !== null);
  const min = known.reduce((a, b) => Math.min(a, b), Infinity);
  const max = known.reduce((a, b) => Math.max(a, b), -Infinity);
  const range = max - min;
  return means
    .map((value) => {
      if (value === null) return " ";
      // A constant series is drawn at half height.
      const height = range > 0 && Number.isFinite(range) ? (value - min) / range : 0.5;
      return blocks[Math.min(7, Math.floor(height * 8))]!;
    })
    .join("");
}

function resample(values: readonly (number | null)[], width: number): readonly (number | null)[] {
  if (values.length <= width) return values.map((value) => meanOf([value]));
  return Array.from({ length: width }, (_, index) => {
    const from = Math.floor((index * values.length) / width);
    const to = Math.floor(((index + 1) * values.length) / width);
    return meanOf(values.slice(from, to));
  });
}

/** The mean of the finite values; `null` without finite values. */
export function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null && Number.isFinite(value));
  if (known.length === 0) return null;
  return known.reduce((sum: number, value) => sum + value! / known.length, 0);
}
