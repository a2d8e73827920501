import type { Rollout } from "@envs/core";

import { advantages } from "../algorithms/advantages.ts";
import { decoupledAdvantages, type RolloutScores } from "../algorithms/decoupled-advantages.ts";
import { overlongPenalty } from "../algorithms/overlong.ts";
import { replyLengths } from "../algorithms/trajectory.ts";
import { observationsOf, turnAdvantages } from "../algorithms/turn-credit.ts";
import type { RlPhase } from "./plan.ts";

/** The rollouts of one example, ordered by `rolloutIndex`. */
export type RolloutGroup = readonly Rollout[];

/** The minimum advantage; a smaller one is a rounding error. */
const minAdvantage = 1e-6;

/** The settings that determine the advantages of a batch. */
export interface Credit {
  readonly phase: Pick<RlPhase, "advantage" | "overlong" | "maxTokens">;
  /** The weights of the environment's scores, by name. */
  readonly scoreWeights: Readonly<Record<string, number>>;
}

/** The reward of a rollout; undefined if the rollout failed. */
export function rewardOf(rollout: Rollout): number | undefined {
  return rollout.status === "scored" ? rollout.reward : undefined;
}

/** The reward that a rollout is trained on: with the penalty of its longest reply. */
export function trainedReward(
  rollout: Rollout,
  { overlong, maxTokens }: Credit["phase"],
): number | undefined {
  const reward = rewardOf(rollout);
  if (reward === undefined || overlong === undefined || maxTokens === undefined) return reward;
  const length = Math.max(0, ...replyLengths(rollout));
  return reward + overlongPenalty(length, { ...overlong, maxTokens });
}

/** The scores of a rollout, with its penalty as another score. */
function scoresOf(rollout: Rollout, { phase, scoreWeights }: Credit): RolloutScores {
  const trained = trainedReward(rollout, phase);
  if (rollout.status !== "scored" || trained === undefined) return undefined;
  return [
    ...Object.keys(scoreWeights).map((name) => rollout.scores[name] ?? null),
    trained - rollout.reward,
  ];
}

/** The advantages of the turns of each rollout; undefined for failed rollouts. */
export function advantagesPerTurn(
  groups: readonly RolloutGroup[],
  credit: Credit,
): readonly (readonly (readonly number[] | undefined)[])[] {
  const { phase, scoreWeights } = credit;
  const { advantage } = phase;
  const { estimator } = advantage;
  if (advantage.credit === "turn" && estimator !== "gdpo")
    return turnAdvantages(
      groups.map((group) =>
        group.map((rollout) => ({
          reward: trainedReward(rollout, phase),
          observations: observationsOf(rollout, advantage.observation),
        })),
      ),
      { ...advantage, estimator },
    );
  const perRollout =
    estimator === "gdpo"
      ? decoupledAdvantages(
          groups.map((group) => group.map((rollout) => scoresOf(rollout, credit))),
          [...Object.values(scoreWeights), 1],
        )
      : advantages(
          groups.map((group) => group.map((rollout) => trainedReward(rollout, phase))),
          estimator,
        );
  return groups.map((group, index) =>
    group.map((rollout, member) => {
      const value = perRollout[index]![member];
      return value === undefined ? undefined : rollout.trajectory.map(() => value);
    }),
  );
}

/**
 * Whether turns of a group with equal rewards differ in their advantages. With turn credit, a reward counts less after more
 * turns; with GDPO, different scores may add up to the same reward.
 */
export function hasOtherSignal(group: RolloutGroup, credit: Credit): boolean {
  const { estimator, credit: level, stepWeight } = credit.phase.advantage;
  if (estimator !== "gdpo" && (level !== "turn" || stepWeight === 0)) return false;
  return advantagesPerTurn([group], credit)[0]!.some(
    (turns) => turns?.some((value) => Math.abs(value) > minAdvantage) ?? false,
  );
}
