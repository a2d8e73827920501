import type { Environment, Model, Sampling } from "@envs/core";

import type { Lines } from "./lines.ts";
import type { Seat } from "./play-history.ts";

/** The other player, if a person does not play alone. */
export interface OtherPlayer {
  readonly model: Model;
  readonly name: string;
  readonly sampling: Sampling;
}

/** Where a person plays: what stays the same from game to game. */
export interface Table {
  readonly environment: Environment;
  /** Where the person sits. */
  readonly seat: Seat;
  /** Plays in the model's place if the person sits in the opponent's. */
  readonly other: OtherPlayer | undefined;
  readonly seed: number;
  readonly lines: Lines;
  readonly signal: AbortSignal;
  readonly write: (text: string) => void;
  /** Shows that someone thinks, until what it returns is called. */
  readonly wait: (text: string) => () => void;
  readonly columns: () => number;
}
