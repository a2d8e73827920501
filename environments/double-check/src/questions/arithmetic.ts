import { type QuestionMaker, between, bracketed } from "../question.ts";
import { rational } from "../rational.ts";

/** Level 1: one operation on whole numbers. */
export const oneOperation: readonly QuestionMaker[] = [
  (random) => {
    const [a, b] = [between(random, 12, 499), between(random, 12, 499)];
    return { text: `What is ${a} + ${b}?`, answer: rational(a + b) };
  },
  (random) => {
    const [a, b] = [between(random, 12, 499), between(random, 12, 499)];
    return { text: `What is ${a} - ${b}?`, answer: rational(a - b) };
  },
  (random) => {
    const [a, b] = [between(random, 3, 19), between(random, 12, 99)];
    return { text: `What is ${a} × ${b}?`, answer: rational(a * b) };
  },
  (random) => {
    const [divisor, quotient] = [between(random, 3, 12), between(random, 7, 99)];
    return { text: `What is ${divisor * quotient} ÷ ${divisor}?`, answer: rational(quotient) };
  },
];

/** Level 2: several operations, in the right order. */
export const severalOperations: readonly QuestionMaker[] = [
  (random) => {
    const [a, b, c] = [between(random, 20, 199), between(random, 3, 12), between(random, 11, 49)];
    return { text: `What is ${a} - ${b} × ${c}?`, answer: rational(a - b * c) };
  },
  (random) => {
    const [a, b] = [between(random, 23, 89), between(random, 23, 89)];
    return { text: `What is ${a} × ${b}?`, answer: rational(a * b) };
  },
  (random) => {
    const [a, b, c, d] = [
      between(random, 5, 60),
      between(random, 5, 60),
      between(random, 2, 9),
      between(random, 2, 99),
    ];
    return { text: `What is (${a} + ${b}) × ${c} - ${d}?`, answer: rational((a + b) * c - d) };
  },
  (random) => {
    const [a, b, c] = [
      between(random, -40, -3),
      between(random, -12, 12),
      between(random, -30, 30),
    ];
    return {
      text: `What is ${bracketed(a)} × ${bracketed(b)} + ${bracketed(c)}?`,
      answer: rational(a * b + c),
    };
  },
  (random) => {
    const [divisor, quotient, base] = [
      between(random, 3, 9),
      between(random, 4, 30),
      between(random, 11, 19),
    ];
    return {
      text: `What is ${base}² - ${divisor * quotient} ÷ ${divisor}?`,
      answer: rational(base * base - quotient),
    };
  },
];
