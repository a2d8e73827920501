import { advantages, batchNormalized, type GroupAdvantages } from "./advantages.ts";

/** The scores of one rollout, in a fixed order; null for a missing score. `undefined` for a failed or excluded rollout. */
export type RolloutScores = readonly (number | null)[] | undefined;

/**
 * GDPO: normalizes each score within its group, and then their weighted sum within the batch:
 * `A_k = (s_k − mean of the group) / (std of the group + 1e-4)`, `A = Σ w_k · A_k`, and `(A − mean of A) / (std of A + 1e-4)`
 * over the batch. Normalizing the sum of scores instead gives rollouts with different scores the same advantage (Liu et al.
 * 2026, arXiv 2601.05242; TRL `multi_objective_aggregation="normalize_then_sum"`).
 */
export function decoupledAdvantages(
  groups: readonly (readonly RolloutScores[])[],
  weights: readonly number[],
): GroupAdvantages[] {
  const perScore = weights.map((_, score) =>
    advantages(groups.map((group) => group.map((scores) => scores?.[score] ?? undefined))),
  );
  const sums = groups.map((group, place) =>
    group.map((scores, member) =>
      scores === undefined
        ? undefined
        : weights.reduce(
            (sum, weight, score) => sum + weight * (perScore[score]![place]![member] ?? 0),
            0,
          ),
    ),
  );
  return batchNormalized(sums);
}
