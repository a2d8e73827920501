import type { ModelResponse } from "@envs/core";
import type { Usage } from "@envs/core/engine";

/** The scores and feedback of one rollout. */
export interface Trial extends Usage {
  readonly reward: number;
  /** Why the scores have their values, by name. */
  readonly feedback: Readonly<Record<string, string>>;
  readonly scores: Readonly<Record<string, number | null>>;
  /** The conversation after the system prompt, as text. */
  readonly transcript: string;
  /** What judges, sub-models and helpers cost; absent if that is unknown. */
  readonly otherCost?: number | undefined;
}

/** One result that cost money: a rollout, or an answer of the reflective model. */
export type JournalEntry =
  | { readonly key: string; readonly trial: Trial }
  | { readonly key: string; readonly response: Omit<ModelResponse, "tokens"> };

/**
 * Stores every paid result. A resumed run takes the same decisions from the journal of the interrupted one, without calls, and
 * then continues.
 */
export interface Journal {
  get(key: string): JournalEntry | undefined;
  add(entry: JournalEntry): void;
}

/** A journal in memory. */
export function memoryJournal(): Journal {
  const entries = new Map<string, JournalEntry>();
  return { get: (key) => entries.get(key), add: (entry) => void entries.set(entry.key, entry) };
}
