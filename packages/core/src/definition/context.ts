import type { DeepReadonly } from "../json.ts";
import type { Message } from "../message/message.ts";
import type { AskSubModel } from "../model/sub-model.ts";
import type { Random } from "../random.ts";

/** What `dataset` receives. */
export interface DatasetContext<Config> {
  readonly config: DeepReadonly<Config>;
  /** Seeded by the run. */
  readonly random: Random;
}

/** What `setup` receives. */
export interface SetupContext<Config, E> {
  readonly config: DeepReadonly<Config>;
  /** A copy for this rollout. Put what changes into the state. */
  readonly example: DeepReadonly<E>;
  /** Seeded by the run and the example, not by the rollout: all rollouts of an example draw the same numbers. */
  readonly random: Random;
  /** Aborted when the rollout is over, timed out or cancelled. */
  readonly signal: AbortSignal;
  /** Asks a model, in an environment that declares `subModel`. By default, it is the model that plays. */
  readonly subModel: AskSubModel;
}

/** What the function `tools` receives. */
export interface ToolsContext<Config, E, State, Seat = string | undefined> extends SetupContext<
  Config,
  E
> {
  readonly state: State;
  /** The seat that the tools are for; `undefined` in an environment without `seats`. */
  readonly seat: Seat;
}

/** What `seats.<name>.prompt` receives. */
export interface SeatContext<Config, E> {
  readonly config: DeepReadonly<Config>;
  readonly example: DeepReadonly<E>;
}

/** What `turn` receives. */
export interface TurnContext<Config, E, State> extends SeatContext<Config, E> {
  readonly state: State;
  /** Seeded by the run and the example, not by the rollout. */
  readonly random: Random;
}

/** What `respond`, tools, stop conditions and `close` receive. */
export interface EpisodeContext<Config, E, State, Seat = string | undefined> extends SetupContext<
  Config,
  E
> {
  /** The state of this rollout, which no other rollout shares. Hooks may change it. */
  readonly state: State;
  /** The seat that has replied or is about to observe; `undefined` in an environment without `seats`. */
  readonly seat: Seat;
  /** The whole conversation, prompt included: with `seats`, that of the seat. */
  readonly messages: readonly Message[];
  /** The text of the model's last message. */
  readonly reply: string;
  /** How many messages the model has written. */
  readonly turns: number;
  /**
   * Rewards the current turn, in `respond` and in tools, for trainers that use a reward for each step. The rubric alone decides
   * the reward of the rollout; its scores see the rewards of all turns as `turnRewards`.
   */
  reward(amount: number): void;
}

/** What `choices` and `board` receive: a position. They only read it. */
export type PositionContext<Config, E, State, Seat = string | undefined> = Pick<
  EpisodeContext<Config, E, State, Seat>,
  "config" | "example" | "state" | "seat" | "messages" | "turns"
>;

/** What a policy receives. */
export interface PolicyContext<Config, E, State, Seat = string | undefined> extends Omit<
  EpisodeContext<Config, E, State, Seat>,
  "subModel"
> {
  /** The number in brackets of `policy:mixed(0.3)`. */
  readonly parameter: number | undefined;
}
