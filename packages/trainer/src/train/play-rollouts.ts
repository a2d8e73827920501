import type {
  Environment,
  Example,
  JudgeModels,
  Model,
  Rollout,
  RolloutsOptions,
} from "@envs/core";

/** Plays rollouts as `rollouts()` of core does, perhaps in other processes: the same options must give the same rollouts. */
export type PlayRollouts = (
  environment: Environment,
  options: RolloutsOptions<Example, string, string>,
) => AsyncIterable<Rollout>;

/** The models of rollouts, and where these are played. */
export interface Players {
  readonly model: Model;
  /** Judges replies. Required if a score asks a judge. */
  readonly judge?: JudgeModels | undefined;
  /** Answers sub-model calls. Default: `model`. */
  readonly subModel?: Model | undefined;
  /** Plays rollouts. Default: core's `rollouts()`, in this process. */
  readonly play?: PlayRollouts | undefined;
}
