/** `y` is null if there is no measurement at `x`. */
export interface Point {
  readonly x: number;
  readonly y: number | null;
}

/** The radius of the moving average for a curve of `count` points; 0 for curves that are too short to smooth. */
export function smoothingRadius(count: number): number {
  return count < 16 ? 0 : Math.min(25, Math.max(2, Math.round(count / 30)));
}

/**
 * A centred moving average with triangular weights, so that the curve does not lag. Gaps between measurements are
 * interpolated. `isLogarithmic`: averages logarithms.
 */
export function smooth(
  points: readonly Point[],
  radius: number,
  isLogarithmic = false,
): readonly Point[] {
  const values = points.map(({ y }) => (y === null || !isLogarithmic ? y : Math.log(y)));
  return points.map(({ x }, index) => {
    let sum = 0;
    let weights = 0;
    const sides = new Set<number>();
    for (let offset = -radius; offset <= radius; offset += 1) {
      const neighbour = values[index + offset];
      if (neighbour === undefined || neighbour === null) continue;
      const weight = radius + 1 - Math.abs(offset);
      sum += weight * neighbour;
      weights += weight;
      sides.add(Math.sign(offset));
    }
    if (!sides.has(0) && sides.size < 2) return { x, y: null };
    return { x, y: isLogarithmic ? Math.exp(sum / weights) : sum / weights };
  });
}
