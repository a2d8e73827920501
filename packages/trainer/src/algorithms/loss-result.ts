import type { OutputGradients } from "@envs/tiny-model";

import type { Forward, ForwardBackward } from "../backend.ts";

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

/** Adds thread by thread, so that the order of additions does not depend on the speed of threads. */
export function sumLosses(
  threads: readonly (readonly (DatumLoss & { readonly forward: Forward })[])[],
): ForwardBackward {
  const parts = threads.map((losses) => ({
    loss: losses.reduce((sum, { value }) => sum + value, 0),
    sums: losses.reduce<LossSums>((sums, loss) => addSums(sums, loss.sums), {}),
  }));
  return {
    forwards: threads.flatMap((losses) => losses.map(({ forward }) => forward)),
    loss: parts.reduce((sum, { loss }) => sum + loss, 0),
    sums: parts.reduce<LossSums>((sums, part) => addSums(sums, part.sums), {}),
  };
}

export function addSums(left: LossSums, right: LossSums): LossSums {
  const total = { ...left };
  for (const [name, sum] of Object.entries(right)) total[name] = (total[name] ?? 0) + sum;
  return total;
}
