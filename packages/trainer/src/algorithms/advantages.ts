import { meanOf } from "@envs/records";

/** The rewards of one group, that is, of the rollouts of one example. Undefined: failed or excluded. */
export type GroupRewards = readonly (number | undefined)[];

/** The advantages of one group; undefined where the reward is undefined. */
export type GroupAdvantages = readonly (number | undefined)[];

/**
 * How the advantage of a reward `r` is computed from the rewards of its group.
 *
 * - `grpo`: `(r − mean) / (std + 1e-4)` with the sample's std (n − 1) (Shao et al. 2024; TRL `scale_rewards="group"`).
 * - `dr_grpo`: `r − mean` (Liu et al. 2025; TRL `scale_rewards="none"`).
 * - `batch`: `(r − mean) / (std of all rewards + 1e-4)` (Hu et al. 2025; TRL `scale_rewards="batch"`).
 * - `rloo`: `r − mean of the others` (Ahmadian et al. 2024; TRL RLOOTrainer).
 */
export type AdvantageEstimator = "grpo" | "dr_grpo" | "batch" | "rloo";

/** Groups with a smaller standard deviation have no gradient (TRL, SkyRL: 1e-6). */
const zeroVariance = 1e-6;

const stdEpsilon = 1e-4;

/** The advantage of each rollout within its group; 0 in groups of one rollout. */
export function advantages(
  groups: readonly GroupRewards[],
  estimator: AdvantageEstimator = "grpo",
): GroupAdvantages[] {
  const batchStd = estimator === "batch" ? standardDeviation(groups.flatMap(present)) : 0;
  return groups.map((rewards) => {
    const values = present(rewards);
    if (values.length < 2) return rewards.map((reward) => (reward === undefined ? undefined : 0));
    const mean = meanOf(values);
    const scale = {
      grpo: () => 1 / (standardDeviation(values) + stdEpsilon),
      dr_grpo: () => 1,
      batch: () => 1 / (batchStd + stdEpsilon),
      // r − mean of the others = (r − mean) · n / (n − 1).
      rloo: () => values.length / (values.length - 1),
    }[estimator]();
    return rewards.map((reward) => (reward === undefined ? undefined : (reward - mean) * scale));
  });
}

/** Advantages minus their mean over all groups, divided by their standard deviation. */
export function batchNormalized(groups: readonly GroupAdvantages[]): GroupAdvantages[] {
  const values = groups.flatMap(present);
  if (values.length === 0) return [...groups];
  const mean = meanOf(values);
  const scale = 1 / (standardDeviation(values) + stdEpsilon);
  return groups.map((group) =>
    group.map((value) => (value === undefined ? undefined : (value - mean) * scale)),
  );
}

/** Whether all rewards of a group are equal, up to rounding, so that the group has no gradient. */
export function hasZeroVariance(rewards: GroupRewards, tolerance: number = zeroVariance): boolean {
  return standardDeviation(present(rewards)) < tolerance;
}

function present(rewards: GroupRewards): number[] {
  return rewards.filter((reward) => reward !== undefined);
}

/** The sample standard deviation (n − 1), as in PyTorch; 0 for fewer than two values. */
function standardDeviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const mean = meanOf(values);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}
