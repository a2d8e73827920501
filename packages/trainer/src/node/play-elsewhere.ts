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
 * Plays rollouts in other processes, whose model has the weights that `weights` returns. It rejects for a backend that cannot
 * publish them. A player that does not call it asks the model of the options.
 */
export type PlayWithWeights = (
  environment: Environment,
  options: RolloutsOptions<Example, string, string>,
  weights: () => Promise<SamplingWeights>,
) => AsyncIterable<Rollout>;

/** Passes the weights on, and counts the tokens that are not sampled by the backend itself. */
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
