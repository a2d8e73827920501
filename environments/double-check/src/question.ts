import type { Rational } from "./rational.ts";

/** A question with its exact answer. */
export interface Question {
  readonly text: string;
  readonly answer: Rational;
}

/** The part of core's `Random` that questions use. */
export interface RandomSource {
  /** The next whole number, at least 0 and below `bound`. */
  int(bound: number): number;
  /** One of `items`, all equally likely. */
  pick<Item>(items: readonly Item[]): Item;
}

/** Makes a random question. */
export type QuestionMaker = (random: RandomSource) => Question;

/** A whole number from `low` to `high`, both included. */
export function between(random: RandomSource, low: number, high: number): number {
  return low + random.int(high - low + 1);
}

/** Writes a number inside a formula: negative numbers get parentheses. */
export function bracketed(value: number): string {
  return value < 0 ? `(${value})` : String(value);
}
