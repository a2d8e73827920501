import type { Rollout } from "@envs/core";

/** The reason why a line is not a rollout. */
export interface UnreadableRow {
  readonly problem: string;
}

/** A rollout as a record has it, whichever program wrote it, and what only its readers on a screen need. */
export interface ReadRollout {
  readonly rollout: Rollout;
  /** The example as the record names it: its index, or the id that another program gives it. */
  readonly example: string;
  /** Whether the record has the number of the rollout. Otherwise the order of the file counts. */
  readonly isNumbered: boolean;
  /** The rollout ended without an error, and the program that wrote it did not score it. */
  readonly isUnscored: boolean;
  /** The scores, also of a failed rollout, where they do not count. */
  readonly scores: readonly RecordedScore[];
  readonly phases: readonly Phase[];
  /** The expected answer as the example states it. */
  readonly expected: string | undefined;
  /** In US dollars, if the record states it. */
  readonly cost: number | undefined;
  /** The reward minus a baseline, if the trainer recorded it. */
  readonly advantage: number | undefined;
  /** The facts of each turn that the rollout itself has no place for. */
  turns(): readonly RecordedTurn[];
}

export interface RecordedScore {
  readonly name: string;
  readonly value: number | null;
  /** The value as recorded, if it is not a number: `"C"`. */
  readonly label: string | undefined;
  readonly weight: number | undefined;
  /** The answer that the scorer read from the completion. */
  readonly answer: string | undefined;
  /** Why the scorer or the judge gave this value. */
  readonly explanation: string | undefined;
}

export interface RecordedTurn {
  /** The name in the record. */
  readonly finish: string | undefined;
  readonly cost: number | undefined;
  readonly reward: number | undefined;
  readonly advantage: number | undefined;
  readonly tokens: readonly RecordedToken[];
}

export interface RecordedToken {
  readonly id: number | undefined;
  readonly text: string | undefined;
  /** The natural logarithm of the sampling probability. */
  readonly logprob: number | undefined;
  readonly advantage: number | undefined;
  /** What the model could have written instead, the most probable first. */
  readonly alternatives: readonly { readonly text: string; readonly logprob: number }[];
}

/** A phase of the rollout and its duration. */
export interface Phase {
  readonly name: string;
  readonly seconds: number;
}
