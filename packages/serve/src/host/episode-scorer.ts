import type { Environment, Message } from "@envs/core";
import {
  describeScores,
  type Episode,
  type ScoreDescription,
  scoreEpisodes,
} from "@envs/core/engine";

import {
  type EpisodeObservation,
  groupScoresOf,
  type Outcome,
  type ScoredOutcome,
} from "./episode-host.ts";

/** Scores ended episodes of one environment: alone, or with their group if the rubric compares rollouts. */
export class EpisodeScorer {
  readonly scores: readonly ScoreDescription[];
  readonly #environment: Environment;
  readonly #comparesRollouts: boolean;
  /** The metrics that compare the rollouts of a group, which have no value for a single rollout. */
  readonly #groupMetrics: readonly string[];

  constructor(environment: Environment) {
    this.#environment = environment;
    this.scores = describeScores(environment.definition, environment.config);
    this.#comparesRollouts = groupScoresOf(this).length > 0;
    this.#groupMetrics = this.scores.filter(({ isGroup }) => isGroup).map(({ name }) => name);
  }

  /** Adds the outcome if the episode has ended. */
  async observe(episode: Episode, messages: readonly Message[]): Promise<EpisodeObservation> {
    if (episode.stopReason === undefined) return { messages, outcome: undefined };
    return { messages, outcome: { ...endOf(episode), ...(await this.#score(episode)) } };
  }

  /** The reward of the last turn. The rewards of compared rollouts belong to the whole group. */
  turnReward(episode: Episode): number | undefined {
    return (!this.#comparesRollouts && episode.turnRewards.at(-1)) || undefined;
  }

  async scoreGroup(episodes: readonly Episode[]): Promise<readonly ScoredOutcome[]> {
    const results = await scoreEpisodes(this.#environment, episodes);
    return results.map((result, index) => {
      if (result instanceof Error) throw result;
      return Object.assign(endOf(episodes[index]!), result);
    });
  }

  async #score(episode: Episode): Promise<Pick<Outcome, "reward" | "scores">> {
    if (this.#comparesRollouts) return { reward: null, scores: {} };
    const { reward, scores } = await episode.score();
    const withoutValue = this.#groupMetrics.map((name) => [name, null] as const);
    return { reward, scores: { ...scores, ...Object.fromEntries(withoutValue) } };
  }
}

function endOf(episode: Episode): Pick<Outcome, "stopReason" | "isTruncated"> {
  const { stopReason, isTruncated } = episode.scoreContext();
  return { stopReason, isTruncated };
}
