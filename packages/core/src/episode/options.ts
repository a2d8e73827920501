import type { Message } from "../message/message.ts";
import type { StopReason } from "../message/stop.ts";
import type { Model } from "../model/model.ts";
import type { Seed } from "../random.ts";
import type { JudgeModels } from "../rubric/judge.ts";
import type { Player } from "./table.ts";

/** What an episode returns after a step. */
export interface Observation {
  /** The messages that follow the model's message: of the environment and of tools. */
  readonly messages: readonly Message[];
  readonly isDone: boolean;
  readonly stopReason: StopReason | undefined;
  /** Set if the environment rejected the reply with `invalid()`. */
  readonly isInvalid?: boolean | undefined;
}

export interface EpisodeOptions {
  /** The run's seed. Default 0. Together with the example it determines all randomness of the environment. */
  readonly seed?: Seed | undefined;
  /** The example's key in its dataset. Default: its `id` or content hash. */
  readonly key?: string | undefined;
  /** Lowers the environment's `maxTurns`. */
  readonly maxTurns?: number | undefined;
  /** The seat of the driver's messages, in an environment with seats. Default: the first. */
  readonly seat?: string | undefined;
  /**
   * Play the other seats, by name. Default: each seat's policy. Seats with a player are scored like the driver's own seat; seats
   * with a policy are not.
   */
  readonly players?: Readonly<Record<string, Player>> | undefined;
  /** Judges the replies, for scores that ask a judge. Default: none, and these scores fail the rollout. */
  readonly judge?: JudgeModels | undefined;
  /** Answers the sub-model calls of the environment. Default: its scripted sub-model; without one, a call fails the rollout. */
  readonly subModel?: Model | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The time limit of each call of the environment's code, in milliseconds. Default 10 minutes. `Infinity`: none. */
  readonly hookTimeout?: number | undefined;
}
