import type { Message } from "./message.ts";
import type { AskOpponent } from "./opponent.ts";
import type { Random } from "./random.ts";

export interface DatasetContext<Config> {
  readonly config: Config;
  /** Seeded by the run. */
  readonly random: Random;
}

export interface SetupContext<Config, E> {
  readonly config: Config;
  readonly example: E;
  /** Seeded by the run and the example, never by the rollout: all rollouts of an example draw the same numbers. */
  readonly random: Random;
  /** Aborted when the rollout is over, timed out or cancelled. */
  readonly signal: AbortSignal;
}

/** What a running episode knows. */
export interface EpisodeContext<Config, E, State> extends SetupContext<Config, E> {
  /** Belongs to this rollout alone; change it freely. */
  readonly state: State;
  /** The whole conversation so far, prompt included. */
  readonly messages: readonly Message[];
  /** The text of the model's last message. */
  readonly reply: string;
  /** How many times the model has spoken. */
  readonly turns: number;
  /** Asks whoever plays the environment's other side. Left out, as in evaluations, the environment plays it. */
  readonly opponent?: AskOpponent | undefined;
}

export interface PolicyContext<Config, E, State> extends EpisodeContext<Config, E, State> {
  /** The number in brackets of `policy:mixed(0.3)`. */
  readonly parameter: number | undefined;
}
