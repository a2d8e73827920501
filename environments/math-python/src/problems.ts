import type { Random } from "@envs/core";

import type { Problem } from "./problem.ts";

type Kind = (random: Random) => {
  readonly prompt: string;
  readonly answer: number | bigint;
  readonly program: string;
};

const between = (random: Random, min: number, max: number): number =>
  min + random.int(max - min + 1);

function isPrime(number: number): boolean {
  if (number < 2) return false;
  for (let factor = 2; factor * factor <= number; factor += 1)
    if (number % factor === 0) return false;
  return true;
}

/** The numbers from 1 to `last` that a condition holds for. */
function select(last: number, condition: (number: number) => boolean): readonly number[] {
  return Array.from({ length: last }, (_, index) => index + 1).filter(condition);
}

const digitsOf = (number: bigint | number): readonly number[] => Array.from(String(number), Number);
const sum = (numbers: readonly number[]): number =>
  numbers.reduce((total, each) => total + each, 0);

/** Slow by hand, quick for a short program. Answers are whole numbers. */
const kinds: readonly Kind[] = [
  (random) => {
    const [last, remainder] = [between(random, 300, 3000), random.pick([1, 3])];
    const primes = select(last, (number) => isPrime(number) && number % 4 === remainder);
    return {
      prompt: `What is the sum of the primes up to ${last} that leave the remainder ${remainder} when divided by 4?`,
      answer: sum(primes),
      program: `is_prime = lambda n: n > 1 and all(n % d for d in range(2, int(n ** 0.5) + 1))
print(sum(n for n in range(${last + 1}) if n % 4 == ${remainder} and is_prime(n)))`,
    };
  },
  (random) => {
    const last = between(random, 500, 5000);
    const [a, b, c] = [between(random, 3, 9), between(random, 10, 17), between(random, 2, 7)];
    return {
      prompt: `How many whole numbers from 1 to ${last} are divisible by ${a} or by ${b}, and have a digit sum that is divisible by ${c}?`,
      answer: select(
        last,
        (number) => (number % a === 0 || number % b === 0) && sum(digitsOf(number)) % c === 0,
      ).length,
      program: `print(sum((n % ${a} == 0 or n % ${b} == 0) and sum(map(int, str(n))) % ${c} == 0 for n in range(1, ${last + 1})))`,
    };
  },
  (random) => {
    const [base, exponent, modulus] = [
      between(random, 3, 99),
      between(random, 200, 999),
      between(random, 1001, 9999),
    ];
    let power = 1;
    for (let step = 0; step < exponent; step += 1) power = (power * base) % modulus;
    return {
      prompt: `What is the remainder of ${base}^{${exponent}} when divided by ${modulus}?`,
      answer: power,
      program: `print(pow(${base}, ${exponent}, ${modulus}))`,
    };
  },
  (random) => {
    const number = between(random, 30, 150);
    let factorial = 1n;
    for (let factor = 2; factor <= number; factor += 1) factorial *= BigInt(factor);
    const digit = random.int(10);
    return {
      prompt: `How often does the digit ${digit} occur in ${number}! (${number} factorial), written in base 10?`,
      answer: digitsOf(factorial).filter((each) => each === digit).length,
      program: `import math
print(str(math.factorial(${number})).count("${digit}"))`,
    };
  },
  (random) => {
    const amount = between(random, 60, 300);
    const [a, b, c] = [between(random, 2, 4), between(random, 5, 8), between(random, 9, 14)];
    let ways = 0;
    for (let first = 0; first * a <= amount; first += 1)
      for (let second = 0; first * a + second * b <= amount; second += 1)
        if ((amount - first * a - second * b) % c === 0) ways += 1;
    return {
      prompt: `There are coins of ${a}, ${b} and ${c} cents. In how many ways can they make ${amount} cents, if their order does not count?`,
      answer: ways,
      program: `ways = [1] + [0] * ${amount}
for coin in (${a}, ${b}, ${c}):
    for total in range(coin, ${amount + 1}):
        ways[total] += ways[total - coin]
print(ways[${amount}])`,
    };
  },
  (random) => {
    const [width, height] = [between(random, 6, 14), between(random, 6, 14)];
    const [x, y] = [between(random, 1, width - 1), between(random, 1, height - 1)];
    const paths: bigint[][] = [];
    for (let i = 0; i <= width; i += 1) {
      paths.push([]);
      for (let j = 0; j <= height; j += 1) {
        const sources = (paths[i - 1]?.[j] ?? 0n) + (paths[i]![j - 1] ?? 0n);
        paths[i]!.push(i === x && j === y ? 0n : i + j === 0 ? 1n : sources);
      }
    }
    return {
      prompt: `How many paths from (0, 0) to (${width}, ${height}) consist of steps by 1 to the right or up, and do not visit (${x}, ${y})?`,
      answer: paths[width]![height]!,
      program: `from math import comb
print(comb(${width + height}, ${width}) - comb(${x + y}, ${x}) * comb(${width + height - x - y}, ${width - x}))`,
    };
  },
  (random) => {
    const last = between(random, 500, 4000);
    const steps = (start: number): number => {
      let count = 0;
      for (let value = start; value !== 1; count += 1)
        value = value % 2 === 0 ? value / 2 : 3 * value + 1;
      return count;
    };
    const counts = select(last, () => true).map(steps);
    return {
      prompt: `Halve a number if it is even, otherwise triple it and add 1; repeat until it is 1. Which start from 1 to ${last} takes the most steps? If several take as many, the smallest.`,
      answer: counts.indexOf(Math.max(...counts)) + 1,
      program: `def steps(n):
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count
print(max(range(1, ${last + 1}), key=steps))`,
    };
  },
];

/** Distinct problems, one kind after another, without an end. */
export function* problems(random: Random): Generator<Problem, never> {
  const seen = new Set<string>();
  for (let index = 0; ; index += 1) {
    const { answer, ...problem } = kinds[index % kinds.length]!(random);
    if (seen.has(problem.prompt)) continue;
    seen.add(problem.prompt);
    yield { ...problem, answer: String(answer) };
  }
}
