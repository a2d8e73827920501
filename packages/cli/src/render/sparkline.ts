const blocks = "▁▂▃▄▅▆▇█";

/** Values as a line of blocks, `width` at most: where there are more, each block is the mean of several. */
export function sparkline(values: readonly (number | null)[], width: number): string {
  const means = resample(values, Math.max(1, Math.floor(width)));
  const known = means.filter((value) => value !== null);
  const least = known.reduce((a, b) => Math.min(a, b), Infinity);
  const most = known.reduce((a, b) => Math.max(a, b), -Infinity);
  const range = most - least;
  return means
    .map((value) => {
      if (value === null) return " ";
      // What does not change lies in the middle.
      const height = range > 0 && Number.isFinite(range) ? (value - least) / range : 0.5;
      return blocks[Math.min(7, Math.floor(height * 8))]!;
    })
    .join("");
}

function resample(values: readonly (number | null)[], width: number): readonly (number | null)[] {
  if (values.length <= width) return values.map((value) => meanOf([value]));
  return Array.from({ length: width }, (_, place) => {
    const from = Math.floor((place * values.length) / width);
    const to = Math.floor(((place + 1) * values.length) / width);
    return meanOf(values.slice(from, to));
  });
}

/** The mean of the values that are there; `null` if none is. */
export function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null && Number.isFinite(value));
  if (known.length === 0) return null;
  return known.reduce((sum: number, value) => sum + value! / known.length, 0);
}
