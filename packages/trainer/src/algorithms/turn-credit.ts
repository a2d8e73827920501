import { ConfigError, type Message, type Rollout } from "@envs/core";

import { advantages, type AdvantageEstimator } from "./advantages.ts";

/** What credit needs to know of one rollout. */
export interface EpisodeTurns {
  /** Undefined: failed or excluded, takes no part. */
  readonly reward: number | undefined;
  /** What the model saw at each turn: equal keys within a group mean that it stood before the same choice. */
  readonly observations: readonly string[];
  /** The environment's own reward of each turn. Default: the last turn has the episode's reward, the others 0. */
  readonly turnRewards?: readonly number[];
}

/** How credit is shared among turns. */
export interface TurnCreditSettings {
  /** How returns of one observation, and rewards of one group, are compared. Default `grpo`. */
  readonly estimator?: AdvantageEstimator;
  /** What a reward is worth one turn earlier (GiGPO's γ). Default 0.95. */
  readonly gamma?: number;
  /** GiGPO's ω. Default 1. */
  readonly stepWeight?: number;
  /**
   * - `add`: `A = A_episode + stepWeight · A_step`, as in the paper; A_step is 0 where nothing can be compared.
   * - `replace`: `A = stepWeight · A_step` where the observation was seen more than once, else `A_episode`.
   *
   * Default `add`.
   */
  readonly combine?: "add" | "replace";
}

/**
 * Group-in-group credit: turns of one group that saw the same observation are compared by their discounted returns
 * `R_t = Σ_k γ^k · r_(t+k)`, on top of the comparison of whole episodes (GiGPO, Feng et al. 2025, arXiv 2505.10978).
 * Answers with the advantage of each turn of each episode of each group.
 */
export function turnAdvantages(
  groups: readonly (readonly EpisodeTurns[])[],
  settings: TurnCreditSettings = {},
): (readonly number[] | undefined)[][] {
  const { estimator = "grpo", gamma = 0.95, stepWeight = 1, combine = "add" } = settings;
  const episodes = advantages(
    groups.map((group) => group.map(({ reward }) => reward)),
    estimator,
  );
  const steps = stepAdvantages(groups, { estimator, gamma });
  return groups.map((group, groupIndex) =>
    group.map(({ observations }, index) => {
      const episode = episodes[groupIndex]![index];
      if (episode === undefined) return undefined;
      return observations.map((_, turn) => {
        const step = steps[groupIndex]![index]![turn];
        if (step === undefined) return episode;
        return (combine === "add" ? episode : 0) + stepWeight * step;
      });
    }),
  );
}

/** A turn among those that it may be compared with. */
interface Step {
  readonly group: number;
  readonly episode: number;
  readonly turn: number;
  readonly observation: string;
  readonly value: number;
}

/** A_step of each turn; undefined where no other turn of the group saw the same. */
function stepAdvantages(
  groups: readonly (readonly EpisodeTurns[])[],
  { estimator, gamma }: { readonly estimator: AdvantageEstimator; readonly gamma: number },
): (number | undefined)[][][] {
  const steps: Step[] = groups.flatMap((episodes, group) =>
    episodes.flatMap((played, episode) =>
      played.reward === undefined
        ? []
        : discountedReturns(played, gamma).map((value, turn) => {
            const observation = played.observations[turn]!;
            return { group, episode, turn, observation, value };
          }),
    ),
  );
  const seen = Map.groupBy(steps, ({ group, observation }) => `${group} ${observation}`);
  const comparisons = [...seen.values()].filter((compared) => compared.length > 1);
  const values = advantages(
    comparisons.map((compared) => compared.map(({ value }) => value)),
    estimator,
  );
  const found = groups.map((episodes) =>
    episodes.map(({ observations }) => observations.map((): number | undefined => undefined)),
  );
  comparisons.forEach((compared, place) => {
    compared.forEach(({ group, episode, turn }, member) => {
      found[group]![episode]![turn] = values[place]![member];
    });
  });
  return found;
}

/** What each turn and those after it earned: `R_t = r_t + γ · R_(t+1)`. */
export function discountedReturns(episode: EpisodeTurns, gamma: number): number[] {
  const { reward = 0, observations, turnRewards } = episode;
  if (turnRewards !== undefined && turnRewards.length !== observations.length)
    throw new ConfigError(
      `An episode of ${observations.length} turns has ${turnRewards.length} turn rewards. Give one number for each turn of the model.`,
    );
  const returns =
    turnRewards?.slice() ??
    observations.map((_, turn) => (turn === observations.length - 1 ? reward : 0));
  for (let turn = returns.length - 2; turn >= 0; turn -= 1)
    returns[turn]! += gamma * returns[turn + 1]!;
  return returns;
}

/** What the model saw at each turn of a rollout: everything that was said to it since its last reply. */
export function observationsOf(rollout: Rollout): string[] {
  const messages: readonly Message[] = [...rollout.prompt, ...rollout.completion];
  return rollout.trajectory.map(({ seen }) => {
    const before = messages.slice(0, seen);
    const spoke = before.findLastIndex(({ role }) => role === "assistant");
    return JSON.stringify(before.slice(spoke + 1).map(({ content }) => content));
  });
}
