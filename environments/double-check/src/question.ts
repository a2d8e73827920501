import type { Rational } from "./rational.ts";

/** A question with its exact answer. */
export interface Question {
  readonly text: string;
  readonly answer: Rational;
}

/** What a question needs of a stream of random numbers. */
export interface Dice {
  /** The next whole number, at least 0 and below `bound`. */
  int(bound: number): number;
  /** One of `items`, each as likely as the others. */
  pick<Item>(items: readonly Item[]): Item;
}

/** Makes up a question. */
export type Asker = (dice: Dice) => Question;

/** A whole number from `low` to `high`, both included. */
export function between(dice: Dice, low: number, high: number): number {
  return low + dice.int(high - low + 1);
}

/** A number as a term or a factor within a formula. */
export function bracketed(value: number): string {
  return value < 0 ? `(${value})` : String(value);
}
