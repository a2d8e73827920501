import { type Asker, between, bracketed } from "../question.ts";
import { rational } from "../rational.ts";

/** Level 1: one operation on whole numbers. */
export const oneOperation: readonly Asker[] = [
  (dice) => {
    const [a, b] = [between(dice, 12, 499), between(dice, 12, 499)];
    return { text: `What is ${a} + ${b}?`, answer: rational(a + b) };
  },
  (dice) => {
    const [a, b] = [between(dice, 12, 499), between(dice, 12, 499)];
    return { text: `What is ${a} - ${b}?`, answer: rational(a - b) };
  },
  (dice) => {
    const [a, b] = [between(dice, 3, 19), between(dice, 12, 99)];
    return { text: `What is ${a} × ${b}?`, answer: rational(a * b) };
  },
  (dice) => {
    const [divisor, quotient] = [between(dice, 3, 12), between(dice, 7, 99)];
    return { text: `What is ${divisor * quotient} ÷ ${divisor}?`, answer: rational(quotient) };
  },
];

/** Level 2: several operations, in the right order. */
export const severalOperations: readonly Asker[] = [
  (dice) => {
    const [a, b, c] = [between(dice, 20, 199), between(dice, 3, 12), between(dice, 11, 49)];
    return { text: `What is ${a} - ${b} × ${c}?`, answer: rational(a - b * c) };
  },
  (dice) => {
    const [a, b] = [between(dice, 23, 89), between(dice, 23, 89)];
    return { text: `What is ${a} × ${b}?`, answer: rational(a * b) };
  },
  (dice) => {
    const [a, b, c, d] = [
      between(dice, 5, 60),
      between(dice, 5, 60),
      between(dice, 2, 9),
      between(dice, 2, 99),
    ];
    return { text: `What is (${a} + ${b}) × ${c} - ${d}?`, answer: rational((a + b) * c - d) };
  },
  (dice) => {
    const [a, b, c] = [between(dice, -40, -3), between(dice, -12, 12), between(dice, -30, 30)];
    return {
      text: `What is ${bracketed(a)} × ${bracketed(b)} + ${bracketed(c)}?`,
      answer: rational(a * b + c),
    };
  },
  (dice) => {
    const [divisor, quotient, base] = [
      between(dice, 3, 9),
      between(dice, 4, 30),
      between(dice, 11, 19),
    ];
    return {
      text: `What is ${base}² - ${divisor * quotient} ÷ ${divisor}?`,
      answer: rational(base * base - quotient),
    };
  },
];
