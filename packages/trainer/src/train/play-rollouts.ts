import type { Environment, Example, Rollout, RolloutsOptions } from "@envs/core";

/** Plays rollouts as `rollouts()` of core does, perhaps in other processes: the same options must give the same rollouts. */
export type PlayRollouts = (
  environment: Environment,
  options: RolloutsOptions<Example, string, string>,
) => AsyncIterable<Rollout>;
