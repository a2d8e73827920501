/** The loss of one datum, and how it changes with what the model said. */
export interface DatumLoss {
  /** Σ weight · loss. */
  readonly value: number;
  /** The derivative of `value` by the log-probability of each target. */
  readonly gradLogprobs: Float32Array;
  /** The derivative of `value` by the entropy at each target. */
  readonly gradEntropies: Float32Array;
  readonly sums: LossSums;
}

/**
 * Sums over trained targets; those of shards add up to those of the whole. Always `tokens`, `nll` (−logπ) and
 * `nonFinite`: how many targets had NaN or infinite numbers; they are in no other sum and have no gradient, but training
 * should stop. `entropy`, where the backend knows it. Of policies `ratio` (ρ), `clipped` (targets whose ρ was replaced by
 * its bound) and `approxKl` (ρ − 1 − log ρ: how far from the old policy); `kl` (k3, with reference); `importance` (w) and
 * `mismatch` (|old − sampling|), with old log-probabilities beside the sampling ones.
 */
export type LossSums = Readonly<Record<string, number>>;

/** Adds the sums of a shard to those gathered so far. */
export function addSums(sums: LossSums, more: LossSums): LossSums {
  const added = { ...sums };
  for (const [name, sum] of Object.entries(more)) added[name] = (added[name] ?? 0) + sum;
  return added;
}
