import type { Model, Sampling } from "../model/model.ts";
import type { Turn } from "../model/trajectory.ts";
import type { Seed } from "../random.ts";
import type { JudgeModels, JudgeOptions } from "../rubric/judge.ts";
import type { Models } from "./assign-models.ts";

/** The sub-model of a run, and how it is asked. */
export interface SubModelRunOptions {
  /** Answers the sub-model calls of the environment. Default: `model`. */
  readonly subModel?: Model | undefined;
  /** The maximum number of concurrent sub-model calls. Default 32. */
  readonly subModelConcurrency?: number | undefined;
}

/** How a rollout is played. Times are in milliseconds. */
export interface PlayOptions<Seat extends string = never> extends JudgeOptions, SubModelRunOptions {
  /**
   * The model that plays, or with seats, models by seat. One model takes each trainable seat without a default policy, or else
   * the first seat. The reward of a rollout is that of the first model; other models have theirs in `otherSeats`.
   */
  readonly model: Models<Seat>;
  /** Judges the replies, for scores that ask a judge. Required by an environment with such scores. */
  readonly judge?: JudgeModels | undefined;
  /** Whether scores that ask a judge are `null`, and the reward lacks them. Default false: they require `judge`. */
  readonly skipJudged?: boolean | undefined;
  readonly sampling?: Sampling | undefined;
  /** The run's seed. Default 0. */
  readonly seed?: Seed | undefined;
  /** The rollout's number within its group, from 0. */
  readonly rolloutIndex?: number | undefined;
  /** Whether the models change seats: in rollout `i` of an example, each moves on by `i` trainable seats. Default false. */
  readonly rotateSeats?: boolean | undefined;
  /** Lowers the environment's `maxTurns`. */
  readonly maxTurns?: number | undefined;
  /**
   * Ends the rollout once its replies have this many tokens in total, without those of sub-models. Requires a model that
   * reports its usage.
   */
  readonly maxTotalTokens?: number | undefined;
  /** The time limit of one reply, also of a sub-model. Default: none. */
  readonly turnTimeout?: number | undefined;
  /** The time limit of the rollout; scoring has the same limit again. Default: none. */
  readonly rolloutTimeout?: number | undefined;
  /**
   * The time limit of each call of the environment's code: `setup`, `respond`, a tool, a stop condition, a score. Default 10
   * minutes. `Infinity`: none.
   */
  readonly hookTimeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called at the end of each turn. */
  readonly onTurn?: ((turn: Turn) => void) | undefined;
}
