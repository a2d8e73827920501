import type { Environment, Model, Sampling } from "@envs/core";

import type { LineReader } from "./line-reader.ts";
import type { PlayerSide } from "./play-history.ts";

/** The model that plays against a person. */
export interface ModelPlayer {
  readonly model: Model;
  readonly name: string;
  readonly sampling: Sampling;
}

/** The environment, players and terminal of a session; the same for every example. */
export interface PlayContext {
  readonly environment: Environment;
  /** The side that the person plays. */
  readonly side: PlayerSide;
  /** Plays the model's side if the person plays the opponent's. */
  readonly modelPlayer: ModelPlayer | undefined;
  readonly seed: number;
  readonly lines: LineReader;
  readonly signal: AbortSignal;
  /** Writes a line. */
  readonly write: (text: string) => void;
  /** Shows a status text until the returned function is called. */
  readonly showStatus: (text: string) => () => void;
  readonly columns: () => number;
}
