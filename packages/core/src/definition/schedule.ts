/**
 * Yields the part of each position without end, as its index. After any number of positions, each part has had its share of
 * them, rounded down or up. Source: Balinski and Young 1975, "The quota method of apportionment".
 */
export function* schedule(weights: readonly number[]): Generator<number, never> {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const shares = weights.map((weight) => weight / total);
  const counts = shares.map(() => 0);
  for (let length = 1; ; length += 1) {
    let next = 0;
    let earliest = Infinity;
    for (const [index, share] of shares.entries()) {
      // One more would exceed the share, rounded up.
      if (counts[index]! >= share * length) continue;
      const deadline = (counts[index]! + 1) / share;
      if (deadline < earliest) [next, earliest] = [index, deadline];
    }
    counts[next]! += 1;
    yield next;
  }
}

/** The number of examples that a mix has before one of its parts runs out. */
export function mixedSize(weights: readonly number[], sizes: readonly number[]): number {
  if (Math.min(...sizes) === Infinity) return Infinity;
  const left = [...sizes];
  let size = 0;
  for (const index of schedule(weights)) {
    if (left[index] === 0) break;
    left[index]! -= 1;
    size += 1;
  }
  return size;
}
