import {
  ConfigError,
  type Environment,
  type EnvironmentFactory,
  type Model,
  type Rollout,
} from "@envs/core";
import { sidesOf, trainableSeatsOf } from "@envs/core/engine";

import type { Phase } from "./plan.ts";

/** The model in each trainable seat of an environment. */
export function selfPlayModels(
  environment: Environment,
  model: Model,
): Readonly<Record<string, Model>> {
  return Object.fromEntries(trainableSeatsOf(environment).map((seat) => [seat, model]));
}

/** Throws a `ConfigError` for a phase with self-play in an environment with fewer than two trainable seats. */
export function checkSelfPlay(
  factory: EnvironmentFactory,
  phases: Readonly<Record<string, Phase>>,
): void {
  for (const [name, phase] of Object.entries(phases)) {
    const configs = phase.kind === "rl" && phase.selfPlay ? phase.sources : [];
    for (const { config } of configs) {
      const environment = factory(config);
      const seats = trainableSeatsOf(environment);
      if (seats.length > 1) continue;
      const found = seats.length === 0 ? "no seats" : `one trainable seat, ${seats[0]}`;
      throw new ConfigError(
        `The phase ${name} has selfPlay, but ${environment.name} has ${found}. Remove selfPlay, or train an environment with two trainable seats.`,
      );
    }
  }
}

/** The rollouts of one example by seat, each seat a group: one seat may be worth more than another. */
export function groupsBySeat(group: readonly Rollout[]): readonly (readonly Rollout[])[] {
  return [...Map.groupBy(group.flatMap(sidesOf), ({ seat }) => seat).values()];
}
