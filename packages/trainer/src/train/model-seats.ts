import {
  ConfigError,
  type Environment,
  type EnvironmentFactory,
  type Model,
  policy,
  type Rollout,
} from "@envs/core";
import { seatNamesOf, trainableSeatsOf } from "@envs/core/engine";
import { sidesOf } from "@envs/records";

import type { Phase } from "./plan.ts";

/** Which seats of an environment the model takes. */
export interface SeatSettings {
  /** Whether it takes every trainable seat. */
  readonly selfPlay?: boolean | undefined;
  /** The policies that take seats, by seat; the model takes the other trainable ones. */
  readonly policies?: Readonly<Record<string, string>> | undefined;
}

/** The seats that the model takes; `undefined` if the environment's own defaults decide. */
export function modelSeats(
  environment: Environment,
  { selfPlay = false, policies = {} }: SeatSettings,
): readonly string[] | undefined {
  if (!selfPlay && Object.keys(policies).length === 0) return undefined;
  return trainableSeatsOf(environment).filter((seat) => !Object.hasOwn(policies, seat));
}

/** The players of an environment: the model, or by seat the model and policies. */
export function seatModels(
  environment: Environment,
  model: Model,
  settings: SeatSettings,
): Model | Readonly<Record<string, Model>> {
  const seats = modelSeats(environment, settings);
  if (seats === undefined) return model;
  const policies = Object.entries(settings.policies ?? {});
  return Object.fromEntries([
    ...seats.map((seat) => [seat, model] as const),
    ...policies.map(([seat, name]) => [seat, policy(name)] as const),
  ]);
}

/** Throws a `ConfigError` for a phase whose seats the environment does not have. */
export function checkSeats(
  factory: EnvironmentFactory,
  phases: Readonly<Record<string, Phase>>,
): void {
  for (const [name, phase] of Object.entries(phases)) {
    if (phase.kind !== "rl") continue;
    for (const { config, policies } of phase.sources) {
      const environment = factory(config);
      if (phase.selfPlay) checkSelfPlay(environment, name);
      checkPolicies(environment, name, policies);
    }
  }
}

function checkSelfPlay(environment: Environment, phase: string): void {
  const seats = trainableSeatsOf(environment);
  if (seats.length > 1) return;
  const found = seats.length === 0 ? "no seats" : `one trainable seat, ${seats[0]}`;
  throw new ConfigError(
    `The phase ${phase} has selfPlay, but ${environment.name} has ${found}. Remove selfPlay, or train an environment with two trainable seats.`,
  );
}

function checkPolicies(
  environment: Environment,
  phase: string,
  policies: Readonly<Record<string, string>>,
): void {
  const names = seatNamesOf(environment);
  const unknown = Object.keys(policies).find((seat) => !names.includes(seat));
  if (unknown !== undefined)
    throw new ConfigError(
      `The phase ${phase} has a policy for the seat ${unknown}, but ${environment.name} has ${names.length === 0 ? "no seats" : `the seats ${names.join(", ")}`}. Correct the seat in policies of its source.`,
    );
  if (modelSeats(environment, { policies })?.length === 0)
    throw new ConfigError(
      `The phase ${phase} has policies for all trainable seats of ${environment.name}, so that the model plays none. Remove one from policies of its source.`,
    );
}

/** The rollouts of one example by seat of the model, each seat a group: one seat may be worth more than another. */
export function groupsBySeat(
  group: readonly Rollout[],
  seats: readonly string[] | undefined,
): readonly (readonly Rollout[])[] {
  const sides = group.flatMap(sidesOf).filter(({ seat }) => seats?.includes(seat!) ?? true);
  return [...Map.groupBy(sides, ({ seat }) => seat).values()];
}
