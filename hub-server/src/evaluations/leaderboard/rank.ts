/** What the rank of a run depends on. */
export interface Standing {
  /** Null if no rollout was scored. */
  readonly mean: number | null;
  /** Null with fewer than two examples. */
  readonly interval: { readonly low: number; readonly high: number } | null;
  /** The number of its badges. */
  readonly evidence: number;
  readonly pushedAt: string;
}

/** An item with its rank. */
export interface Ranked<Item> {
  readonly item: Item;
  readonly rank: number;
  readonly isTied: boolean;
}

/**
 * Ranks the runs of a board. The rank is 1 + the number of runs whose whole interval is above this run's interval, so runs whose
 * order may be chance share a rank. Among them, runs with stronger evidence come first, then those with a higher mean.
 */
export function rankBy<Item>(
  items: readonly Item[],
  standingOf: (item: Item) => Standing,
): readonly Ranked<Item>[] {
  const entries = items.map((item) => {
    const standing = standingOf(item);
    return { item, standing, ...boundsOf(standing) };
  });
  const lows = entries.map(({ low }) => low).toSorted((a, b) => b - a);
  let above = 0;
  const ranked = entries
    .toSorted((a, b) => (a.high < b.high ? 1 : a.high > b.high ? -1 : 0))
    .map(({ item, standing, high }) => {
      while ((lows[above] ?? -Infinity) > high) above += 1;
      return { item, standing, rank: above + 1 };
    });
  const sizes = Map.groupBy(ranked, ({ rank }) => rank);
  return ranked
    .toSorted(
      (a, b) =>
        a.rank - b.rank ||
        b.standing.evidence - a.standing.evidence ||
        meanOf(b.standing) - meanOf(a.standing) ||
        (a.standing.pushedAt < b.standing.pushedAt ? -1 : 1),
    )
    .map(({ item, rank }) => ({ item, rank, isTied: (sizes.get(rank)?.length ?? 0) > 1 }));
}

function meanOf({ mean }: Standing): number {
  return mean ?? Number.MIN_SAFE_INTEGER;
}

/** The bounds of a run; without an interval, infinite ones, so that the run ties with every run. */
function boundsOf({ mean, interval }: Standing): { readonly low: number; readonly high: number } {
  if (mean === null) return { low: -Infinity, high: -Infinity };
  return interval ?? { low: -Infinity, high: Infinity };
}
