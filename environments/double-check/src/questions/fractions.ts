import { type Asker, between, type Dice } from "../question.ts";
import { add, divide, format, multiply, type Rational, rational, subtract } from "../rational.ts";

/** Level 4: fractions. */
export const fractions: readonly Asker[] = [
  (dice) => {
    const [a, b] = [fraction(dice), fraction(dice)];
    return { text: `What is ${format(a)} + ${format(b)}?`, answer: add(a, b) };
  },
  (dice) => {
    const [a, b] = [fraction(dice), fraction(dice)];
    return { text: `What is ${format(a)} - ${format(b)}?`, answer: subtract(a, b) };
  },
  (dice) => {
    const [a, b] = [fraction(dice), fraction(dice)];
    return { text: `What is (${format(a)}) × (${format(b)})?`, answer: multiply(a, b) };
  },
  (dice) => {
    const [a, b] = [fraction(dice), fraction(dice)];
    return { text: `What is (${format(a)}) ÷ (${format(b)})?`, answer: divide(a, b) };
  },
  (dice) => {
    const [a, b, whole] = [fraction(dice), fraction(dice), between(dice, 2, 9)];
    return {
      text: `What is ${whole} × (${format(a)} - ${format(b)})?`,
      answer: multiply(rational(whole), subtract(a, b)),
    };
  },
  (dice) => {
    const [part, total] = [fraction(dice), between(dice, 10, 90)];
    return {
      text: `What is ${format(part)} of ${total}?`,
      answer: multiply(part, rational(total)),
    };
  },
];

/** A fraction between 0 and 1 that is not whole. */
function fraction(dice: Dice): Rational {
  const denominator = between(dice, 3, 15);
  return rational(between(dice, 1, denominator - 1), denominator);
}
