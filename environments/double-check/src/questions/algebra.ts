import { type QuestionMaker, between } from "../question.ts";
import { greatestCommonDivisor, rational } from "../rational.ts";

/** Level 5: equations, averages, remainders, sums. */
export const algebra: readonly QuestionMaker[] = [
  (random) => {
    const [a, b, c] = [between(random, 3, 19), between(random, 1, 40), between(random, -60, 99)];
    return { text: `Solve ${a}x + ${b} = ${c} for x.`, answer: rational(c - b, a) };
  },
  (random) => {
    const [a, b] = [between(random, 9, 19), between(random, 2, 40)];
    const [c, d] = [between(random, 2, 8), between(random, 2, 90)];
    return { text: `Solve ${a}x - ${b} = ${c}x + ${d} for x.`, answer: rational(d + b, a - c) };
  },
  (random) => {
    const [large, small] = [between(random, 40, 400), between(random, -60, 39)];
    return {
      text: `Two numbers add up to ${large + small} and differ by ${large - small}. What is the larger one?`,
      answer: rational(large),
    };
  },
  (random) => {
    const known = Array.from({ length: 4 }, () => between(random, 2, 60));
    const mean = between(random, 10, 50);
    const sum = known.reduce((total, value) => total + value, 0);
    return {
      text: `The mean of five numbers is ${mean}. Four of them are ${known.slice(0, 3).join(", ")} and ${known[3]}. What is the fifth?`,
      answer: rational(5 * mean - sum),
    };
  },
  (random) => {
    const [base, exponent, modulus] = [
      between(random, 2, 12),
      between(random, 5, 30),
      between(random, 7, 29),
    ];
    return {
      text: `What is the remainder when ${base}^${exponent} is divided by ${modulus}?`,
      answer: rational(BigInt(base) ** BigInt(exponent) % BigInt(modulus)),
    };
  },
  (random) => {
    const [first, step, count] = [
      between(random, -20, 30),
      between(random, 2, 12),
      between(random, 10, 60),
    ];
    return {
      text: `A sequence begins ${first}, ${first + step}, ${first + 2 * step} and goes on in equal steps. What is the sum of its first ${count} terms?`,
      answer: rational(count * (2 * first + (count - 1) * step), 2),
    };
  },
  (random) => {
    const factor = between(random, 2, 40);
    const [a, b] = [factor * between(random, 2, 40), factor * between(random, 2, 40)];
    return {
      text: `What is the greatest common divisor of ${a} and ${b}?`,
      answer: rational(greatestCommonDivisor(BigInt(a), BigInt(b))),
    };
  },
];
