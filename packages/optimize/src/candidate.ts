import type { Prompts } from "./prompts.ts";

/** A set of prompts with its rewards. */
export interface Candidate {
  /** The number of the candidate in the order of discovery; the environment's own prompts are 0. */
  readonly id: number;
  readonly prompts: Prompts;
  /** The candidate that was changed, or the two that were merged. */
  readonly parents: readonly number[];
  /** The prompts that differ from those of the first parent. */
  readonly changed: readonly string[];
  /** The rewards on the selection examples, by key. An example whose rollout failed is absent. */
  readonly rewards: ReadonlyMap<string, number>;
  /** The mean of {@link rewards}. */
  readonly mean: number;
  /** The number of rollouts up to its discovery. */
  readonly rollouts: number;
}

/** The mean of numbers; 0 for a candidate without finished rollouts. */
export function meanOf(values: Iterable<number>): number {
  let sum = 0;
  let count = 0;
  for (const value of values) {
    sum += value;
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

/** The candidate with the greatest mean; the earliest of equal ones. */
export function bestOf(candidates: readonly Candidate[]): Candidate {
  return candidates.reduce((best, next) => (next.mean > best.mean ? next : best));
}
