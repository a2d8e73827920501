import { exactly, type Expression, type Operation } from "./expression.ts";

/** The numbers from which players draw. */
interface Dice {
  next(): number;
  int(bound: number): number;
}

interface Size {
  readonly operators: number;
  readonly maxOperators: number;
  readonly maxNumber: number;
}

/** A sum with this number among others. */
export function sumWith(number: number, size: Size, dice: Dice): Expression {
  const count = Math.min(size.operators, size.maxOperators);
  const place = dice.int(count + 1);
  return {
    numbers: Array.from({ length: count + 1 }, (_, index) =>
      index === place ? number : 1 + dice.int(size.maxNumber),
    ),
    operators: Array.from({ length: count }, () => (dice.next() < 0.5 ? "+" : "-")),
  };
}

/** Computes as a solver who gets each operation wrong with a probability. */
export function carelessly(probability: number, dice: Dice): Operation {
  return (left, operator, right) =>
    exactly(left, operator, right) + (dice.next() < probability ? 1 : 0);
}
