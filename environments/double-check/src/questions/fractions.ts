import { type QuestionMaker, between, type RandomSource } from "../question.ts";
import { add, divide, format, multiply, type Rational, rational, subtract } from "../rational.ts";

/** Level 4: fractions. */
export const fractions: readonly QuestionMaker[] = [
  (random) => {
    const [a, b] = [fraction(random), fraction(random)];
    return { text: `What is ${format(a)} + ${format(b)}?`, answer: add(a, b) };
  },
  (random) => {
    const [a, b] = [fraction(random), fraction(random)];
    return { text: `What is ${format(a)} - ${format(b)}?`, answer: subtract(a, b) };
  },
  (random) => {
    const [a, b] = [fraction(random), fraction(random)];
    return { text: `What is (${format(a)}) × (${format(b)})?`, answer: multiply(a, b) };
  },
  (random) => {
    const [a, b] = [fraction(random), fraction(random)];
    return { text: `What is (${format(a)}) ÷ (${format(b)})?`, answer: divide(a, b) };
  },
  (random) => {
    const [a, b, whole] = [fraction(random), fraction(random), between(random, 2, 9)];
    return {
      text: `What is ${whole} × (${format(a)} - ${format(b)})?`,
      answer: multiply(rational(whole), subtract(a, b)),
    };
  },
  (random) => {
    const [part, total] = [fraction(random), between(random, 10, 90)];
    return {
      text: `What is ${format(part)} of ${total}?`,
      answer: multiply(part, rational(total)),
    };
  },
];

/** A fraction between 0 and 1 that is not whole. */
function fraction(random: RandomSource): Rational {
  const denominator = between(random, 3, 15);
  return rational(between(random, 1, denominator - 1), denominator);
}
