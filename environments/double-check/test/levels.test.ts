import { runInNewContext } from "node:vm";

import { random } from "@envs/core";
import { cases } from "@envs/tooling/cases";
import { expect, test } from "vitest";

import { hardestLevel, type LevelledQuestion, questions } from "../src/levels.ts";

function take(count: number, levels = [1, hardestLevel], seed = 0): LevelledQuestion[] {
  const [minLevel = 1, maxLevel = hardestLevel] = levels;
  return questions({ minLevel, maxLevel }, random(seed)).take(count).toArray();
}

type Five = [number, number, number, number, number];

/** An independent solver: it reads each kind of question from its text and computes in floating point. */
const solutions: readonly [RegExp, (numbers: Five) => number][] = [
  [
    /^A hall has (\d+) rows of (\d+) seats each. (\d+) seats are taken/u,
    ([rows, seats, taken]) => rows * seats - taken,
  ],
  [
    /buys (\d+) boxes of (\d+) .* (\d+) of the .* for (\d+) euros apiece/u,
    ([boxes, each, broken, price]) => (boxes * each - broken) * price,
  ],
  [
    /^A van drives for (\d+) hours at (\d+) .* another (\d+) kilometres/u,
    ([hours, speed, more]) => hours * speed + more,
  ],
  [
    /is (\d+) times as old as \w+, who is (\d+). .* in (\d+) years/u,
    ([times, small, years]) => times * small + years,
  ],
  [/^A film of (\d+) minutes .* pause of (\d+) minutes/u, ([minutes, pause]) => minutes + pause],
  [/^Of (\d+) bicycles in a town, (\d+) percent/u, ([all, percent]) => all - (all * percent) / 100],
  [/^What is (\d+)\/(\d+) of (\d+)\?$/u, ([top, bottom, total]) => (top * total) / bottom],
  [/^Solve (\d+)x \+ (\d+) = (-?\d+) for x/u, ([a, b, c]) => (c - b) / a],
  [/^Solve (\d+)x - (\d+) = (\d+)x \+ (\d+) for x/u, ([a, b, c, d]) => (b + d) / (a - c)],
  [/add up to (-?\d+) and differ by (\d+)/u, ([sum, difference]) => (sum + difference) / 2],
  [
    /is (\d+). Four of them are (\d+), (\d+), (\d+) and (\d+)/u,
    ([mean, ...known]) => known.reduce((rest, value) => rest - value, 5 * mean),
  ],
  [
    /when (\d+)\^(\d+) is divided by (\d+)/u,
    ([base, exponent, modulus]) =>
      Array.from({ length: exponent }).reduce<number>((power) => (power * base) % modulus, 1),
  ],
  [
    /begins (-?\d+), (-?\d+), -?\d+ and .* first (\d+) terms/u,
    ([first, second, count]) =>
      Array.from({ length: count }, (_, index) => first + index * (second - first)).reduce(
        (sum, term) => sum + term,
        0,
      ),
  ],
  [
    /divisor of (\d+) and (\d+)/u,
    ([a, b]) => {
      let divisor = a;
      while (a % divisor !== 0 || b % divisor !== 0) divisor -= 1;
      return divisor;
    },
  ],
];

function solve(text: string): number {
  for (const [form, solution] of solutions) {
    const match = form.exec(text);
    if (match !== null) return solution(match.slice(1).map(Number) as Five);
  }
  const [, formula] = /^What is (.+)\?$/u.exec(text) ?? [];
  if (formula === undefined) throw new Error(`No solution for: ${text}`);
  const script = formula.replaceAll("×", "*").replaceAll("÷", "/").replaceAll("²", "**2");
  return runInNewContext(script) as number;
}

test("every answer equals that of an independent solver", () => {
  const wrong = take(cases(4000)).filter(({ text, answer: { numerator, denominator } }) => {
    const size = Number(numerator) / Number(denominator);
    return Math.abs(solve(text) - size) > 1e-9 * Math.max(1, Math.abs(size));
  });
  expect(wrong).toEqual([]);
});

test("questions() makes every kind of question", () => {
  const texts = take(2000).map(({ text }) => text);
  const missing = solutions.filter(([form]) => !texts.some((text) => form.test(text)));
  expect(missing).toEqual([]);
});

test("questions() cycles through the levels of its range", () => {
  expect(take(7, [2, 4]).map(({ level }) => level)).toEqual([2, 3, 4, 2, 3, 4, 2]);
});

test("answers are whole in levels 1 to 3 and mostly fractions in level 4", () => {
  const isWhole = ({ answer }: LevelledQuestion): boolean => answer.denominator === 1n;
  expect(take(600, [1, 3]).every(isWhole)).toBe(true);
  expect(take(300, [4, 4]).filter(isWhole).length).toBeLessThan(75);
});

test.each([1, 2, 3, 4, 5])("level %d makes 10,000 different questions", (level) => {
  expect(new Set(take(10_000, [level, level]).map(({ text }) => text)).size).toBe(10_000);
});

test("the seed determines the questions", () => {
  expect(take(50, [1, 5], 1)).toEqual(take(50, [1, 5], 1));
  expect(take(50, [1, 5], 1)).not.toEqual(take(50, [1, 5], 2));
});

test("questions() makes these questions, one of each level", () => {
  expect(take(5).map(({ text }) => text)).toMatchInlineSnapshot(`
    [
      "What is 188 ÷ 4?",
      "What is 14² - 60 ÷ 3?",
      "Farid buys 14 boxes of 20 tickets. 10 of the tickets are damaged and cannot be sold. The others are sold for 4 euros apiece. How many euros does Farid take in?",
      "What is 8 × (14/15 - 1/5)?",
      "What is the greatest common divisor of 30 and 4?",
    ]
  `);
});
