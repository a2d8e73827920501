import type { Rollout } from "@envs/core";

import { advantages } from "../algorithms/advantages.ts";
import { observationsOf, turnAdvantages } from "../algorithms/turn-credit.ts";
import type { RlPhase } from "./plan.ts";

/** The rollouts of one example, ordered by `rolloutIndex`. */
export type RolloutGroup = readonly Rollout[];

/** A smaller advantage is rounding. */
const minAdvantage = 1e-6;

/** The reward of a rollout; undefined if the rollout failed. */
export function rewardOf(rollout: Rollout): number | undefined {
  return rollout.status === "scored" ? rollout.reward : undefined;
}

/** The advantages of the turns of each rollout; undefined for failed rollouts. */
export function advantagesPerTurn(
  groups: readonly RolloutGroup[],
  { advantage }: Pick<RlPhase, "advantage">,
): readonly (readonly (readonly number[] | undefined)[])[] {
  if (advantage.credit === "turn")
    return turnAdvantages(
      groups.map((group) =>
        group.map((rollout) => ({
          reward: rewardOf(rollout),
          observations: observationsOf(rollout, advantage.observation),
        })),
      ),
      advantage,
    );
  const perRollout = advantages(
    groups.map((group) => group.map(rewardOf)),
    advantage.estimator,
  );
  return groups.map((group, index) =>
    group.map((rollout, member) => {
      const value = perRollout[index]![member];
      return value === undefined ? undefined : rollout.trajectory.map(() => value);
    }),
  );
}

/**
 * Whether turns of a group differ in their advantages though its rewards are equal: with turn credit, the same reward is
 * worth less the more turns it takes.
 */
export function hasTurnSignal(
  group: RolloutGroup,
  { advantage }: Pick<RlPhase, "advantage">,
): boolean {
  if (advantage.credit !== "turn" || advantage.stepWeight === 0) return false;
  return advantagesPerTurn([group], { advantage })[0]!.some(
    (turns) => turns?.some((value) => Math.abs(value) > minAdvantage) ?? false,
  );
}
