import type { AssistantMessage, Environment, JudgeModels, Model, Sampling } from "@envs/core";

import type { LineReader } from "./line-reader.ts";

/** A model that plays another seat. */
export interface Rival {
  readonly model: Model;
  readonly name: string;
  readonly sampling: Sampling;
}

/** The environment, players and terminal of a session; the same for every example. */
export interface PlayContext {
  readonly environment: Environment;
  /** The seat of the person; `undefined` without seats. */
  readonly seat: string | undefined;
  /** The rivals by seat. The environment's policies play the seats without one. */
  readonly rivals: Readonly<Record<string, Rival>>;
  /** Without it, the result lacks the scores that ask a judge. */
  readonly judge?: JudgeModels | undefined;
  /** Without it, the scripted sub-model of the environment answers. */
  readonly subModel?: Model | undefined;
  readonly seed: number;
  readonly lines: LineReader;
  readonly signal: AbortSignal;
  readonly write: (text: string) => void;
  /** Shows a status text until the returned function is called. */
  readonly showStatus: (text: string) => () => void;
  readonly columns: () => number;
}

/** A move. Replaying all moves of each player brings a new episode to the same state. */
export type HistoryEntry =
  | { readonly by: "person"; readonly message: AssistantMessage }
  | {
      readonly by: "rival";
      readonly seat: string;
      readonly message: AssistantMessage;
      readonly isTruncated: boolean;
    };

/** Removes the last move of the person and every move after it. Returns `undefined` if the person has not moved. */
export function undoLastMove(
  history: readonly HistoryEntry[],
): readonly HistoryEntry[] | undefined {
  const last = history.findLastIndex(({ by }) => by === "person");
  return last === -1 ? undefined : history.slice(0, last);
}
