import { ConfigError, type Message, type Rollout } from "@envs/core";

import { advantages, type AdvantageEstimator } from "./advantages.ts";

export interface EpisodeTurns {
  /** Undefined: failed or excluded. */
  readonly reward: number | undefined;
  /** One key per turn. Equal keys within a group mean the same observation. */
  readonly observations: readonly string[];
  /** The reward of each turn. Default: the episode's reward for the last turn, 0 for the others. */
  readonly turnRewards?: readonly number[] | undefined;
}

export interface TurnCreditSettings {
  /** Compares the returns of one observation, and the rewards of one group. Default `grpo`. */
  readonly estimator?: AdvantageEstimator | undefined;
  /** Discount factor per turn (γ of GiGPO). Default 0.95. */
  readonly gamma?: number | undefined;
  /** ω of GiGPO. Default 1. */
  readonly stepWeight?: number | undefined;
  /**
   * - `add`: `A = A_episode + stepWeight · A_step`, as in the paper; A_step is 0 for observations that occur only once.
   * - `replace`: `A = stepWeight · A_step` for observations that occur more than once, else `A_episode`.
   *
   * Default `add`.
   */
  readonly combine?: "add" | "replace" | undefined;
}

/**
 * Group-in-group credit: turns of one group with the same observation are compared by their discounted returns
 * `R_t = Σ_k γ^k · r_(t+k)`, in addition to the comparison of whole episodes (GiGPO, Feng et al. 2025, arXiv 2505.10978).
 * Returns the advantage of each turn of each episode of each group.
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

/** A turn with its discounted return. */
interface Step {
  readonly group: number;
  readonly episode: number;
  readonly turn: number;
  readonly observation: string;
  readonly value: number;
}

/** A_step of each turn; undefined if no other turn of the group has the same observation. */
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
  const byObservation = Map.groupBy(steps, ({ group, observation }) => `${group} ${observation}`);
  const comparisons = [...byObservation.values()].filter((compared) => compared.length > 1);
  const values = advantages(
    comparisons.map((compared) => compared.map(({ value }) => value)),
    estimator,
  );
  const results = groups.map((episodes) =>
    episodes.map(({ observations }) => observations.map((): number | undefined => undefined)),
  );
  comparisons.forEach((compared, place) => {
    compared.forEach(({ group, episode, turn }, member) => {
      results[group]![episode]![turn] = values[place]![member];
    });
  });
  return results;
}

/** The return of each turn: `R_t = r_t + γ · R_(t+1)`. */
export function discountedReturns(episode: EpisodeTurns, gamma: number): number[] {
  const { reward = 0, observations, turnRewards } = episode;
  if (turnRewards !== undefined && turnRewards.length !== observations.length)
    throw new ConfigError(
      `An episode of ${observations.length} turns has ${turnRewards.length} turn rewards. Pass one number per turn.`,
    );
  const returns =
    turnRewards?.slice() ??
    observations.map((_, turn) => (turn === observations.length - 1 ? reward : 0));
  for (let turn = returns.length - 2; turn >= 0; turn -= 1)
    returns[turn]! += gamma * returns[turn + 1]!;
  return returns;
}

/**
 * What two turns must have in common to be compared. GiGPO compares states of the environment.
 *
 * - `conversation`: all messages before the turn, the model's own replies included. It is what the model sees, so a state
 *   that depends on earlier messages is never confused with another.
 * - `message`: the messages since the model's last reply, for environments whose messages show the whole state, such as a
 *   board. It compares turns that reached the state by different ways.
 */
export type TurnObservation = "conversation" | "message";

/** The observation of each turn as a key. */
export function observationsOf(
  rollout: Rollout,
  observation: TurnObservation = "conversation",
): string[] {
  const messages: readonly Message[] = [...rollout.prompt, ...rollout.completion];
  return rollout.trajectory.map(({ seen }) => {
    const before = messages.slice(0, seen);
    if (observation === "conversation") return JSON.stringify(before);
    const lastReply = before.findLastIndex(({ role }) => role === "assistant");
    return JSON.stringify(before.slice(lastReply + 1).map(({ content }) => content));
  });
}
