/** How often each reply was given to each example: counts by hash, by the example's key. */
export type ReplyCounts = ReadonlyMap<string, ReadonlyMap<string, number>>;

/**
 * Whether a run may be a copy of another one: all of its replies are among those of the other, or more of them than sampling
 * explains. Rollouts of one example within a run show how often sampling repeats a reply; the replies of two runs of the same
 * model may be equal as often, plus three standard errors. Examples that only one of the runs has are not compared.
 */
export function areCopies(replies: ReplyCounts, earlier: ReplyCounts): boolean {
  const within = { equal: 0, pairs: 0 };
  const between = { equal: 0, pairs: 0 };
  let examples = 0;
  let isAnyNew = false;
  for (const [key, counts] of replies) {
    const others = earlier.get(key);
    if (others === undefined) continue;
    examples += 1;
    for (const [hash, count] of counts) {
      between.equal += count * (others.get(hash) ?? 0);
      isAnyNew ||= !others.has(hash);
    }
    between.pairs += sizeOf(counts) * sizeOf(others);
    for (const each of [counts, others]) {
      const size = sizeOf(each);
      within.pairs += (size * (size - 1)) / 2;
      for (const count of each.values()) within.equal += (count * (count - 1)) / 2;
    }
  }
  if (examples === 0) return false;
  if (!isAnyNew) return true;
  const expected = within.pairs === 0 ? 0 : within.equal / within.pairs;
  // Pairs of one example are not independent, so the error is that of as many draws as there are examples.
  const error = Math.sqrt((expected * (1 - expected)) / examples);
  return between.equal / between.pairs > expected + 3 * error + 1 / examples;
}

function sizeOf(counts: ReadonlyMap<string, number>): number {
  return counts.values().reduce((sum, count) => sum + count, 0);
}
