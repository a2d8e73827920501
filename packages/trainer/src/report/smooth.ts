/** A value at a place; `null`: none was measured there. */
export interface Point {
  readonly x: number;
  readonly y: number | null;
}

/** How far the moving average of so many points reaches to each side; 0: too few to smooth. */
export function reach(count: number): number {
  return count < 16 ? 0 : Math.min(25, Math.max(2, Math.round(count / 30)));
}

/**
 * Averages each point with its neighbours, the nearer the more (triangular weights), so that the curve does not lag.
 * A gap is bridged where there are neighbours on both sides of it. `isLogarithmic`: averages magnitudes.
 */
export function smooth(
  points: readonly Point[],
  reached: number,
  isLogarithmic = false,
): readonly Point[] {
  const values = points.map(({ y }) => (y === null || !isLogarithmic ? y : Math.log(y)));
  return points.map(({ x }, place) => {
    let sum = 0;
    let weights = 0;
    const sides = new Set<number>();
    for (let offset = -reached; offset <= reached; offset += 1) {
      const neighbour = values[place + offset];
      if (neighbour === undefined || neighbour === null) continue;
      const weight = reached + 1 - Math.abs(offset);
      sum += weight * neighbour;
      weights += weight;
      sides.add(Math.sign(offset));
    }
    if (!sides.has(0) && sides.size < 2) return { x, y: null };
    return { x, y: isLogarithmic ? Math.exp(sum / weights) : sum / weights };
  });
}
