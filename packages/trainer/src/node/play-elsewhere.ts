import {
  ConfigError,
  type Environment,
  type Example,
  type Rollout,
  type RolloutsOptions,
} from "@envs/core";

import type { Backend, SamplingWeights } from "../backend.ts";
import type { PlayRollouts } from "../train/play-rollouts.ts";
import type { MeteredBackend } from "./token-meter.ts";

/**
 * Plays rollouts in other processes, whose model loads the weights that `weights` returns. `weights` rejects if the backend
 * cannot publish them. A player that does not call `weights` uses the model of the options.
 */
export type PlayWithWeights = (
  environment: Environment,
  options: RolloutsOptions<Example, string, string>,
  weights: () => Promise<SamplingWeights>,
) => AsyncIterable<Rollout>;

/** Gives a player the weights, and counts the tokens that other processes sample. */
export function playElsewhere(
  play: PlayWithWeights,
  backend: Backend,
  meter: MeteredBackend,
): PlayRollouts {
  return async function* playAndCount(environment, options) {
    let isElsewhere = false;
    const weights = async (): Promise<SamplingWeights> => {
      isElsewhere = true;
      if (backend.samplingWeights !== undefined) return await backend.samplingWeights();
      throw new ConfigError(
        `The backend of ${backend.id} does not publish its weights, so other processes cannot sample from them. Train without a queue.`,
      );
    };
    for await (const rollout of play(environment, options, weights)) {
      if (isElsewhere) meter.add(rollout);
      yield rollout;
    }
  };
}
