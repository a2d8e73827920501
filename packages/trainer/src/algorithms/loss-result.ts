import type { OutputGradients } from "@envs/tiny-model";

export interface DatumLoss extends OutputGradients {
  /** Σ weight · loss. */
  readonly value: number;
  readonly sums: LossSums;
}

/**
 * Sums over trained targets; the sums of shards add up to those of the whole batch.
 *
 * - Always: `tokens`, `nll` (−logπ) and `nonFinite`, the number of targets with NaN or infinite numbers. These targets have
 *   no gradient and are in no other sum; training should stop.
 * - If the backend reports entropies: `entropy`.
 * - Policy losses: `ratio` (ρ), `clipped` (targets whose ρ was replaced by its bound) and `approxKl` (ρ − 1 − log ρ, the
 *   distance from the old policy).
 * - With a reference model: `kl` (k3).
 * - With both old and sampling log-probabilities: `importance` (w) and `mismatch` (|old − sampling|).
 */
export type LossSums = Readonly<Record<string, number>>;

export function addSums(left: LossSums, right: LossSums): LossSums {
  const total = { ...left };
  for (const [name, sum] of Object.entries(right)) total[name] = (total[name] ?? 0) + sum;
  return total;
}
