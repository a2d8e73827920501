import { type EnvironmentFactory, random } from "@envs/core";

import { guessing, twoTries } from "./episodes.ts";
import {
  choices,
  cities,
  counting,
  distance,
  exact,
  letters,
  miles,
  nextLetter,
  oneTurn,
  parity,
  reversal,
  type Row,
  sorting,
  sums,
} from "./tasks.ts";

export type Case = readonly [name: string, make: () => EnvironmentFactory];

const withAnswer = (row: Row, answer: string): Row => ({ ...row, answer });
const reasoned = (answer: string): string =>
  `${"Let me think about this step by step, and check each step. ".repeat(4)}${answer}`;

/** Rewards with a fault, which the checks were written with. */
export const broken: readonly Case[] = [
  [
    "off by one: the key is one larger",
    () => oneTurn(sums, exact, { rows: (row) => withAnswer(row, String(Number(row.answer) + 1)) }),
  ],
  [
    "off by one: the key of the next row",
    () =>
      oneTurn(cities, exact, {
        rows: (row, index, all) => withAnswer(row, all[(index + 1) % all.length]!.answer),
      }),
  ],
  [
    "off by one: choices are counted from 1",
    () =>
      oneTurn(choices, exact, {
        rows: (row) => withAnswer(row, "ABCDE"["ABCD".indexOf(row.answer) + 1]!),
      }),
  ],
  [
    "off by one, with partial credit",
    () =>
      oneTurn(counting, (reply) => Math.max(0, 1 - distance(reply) / 5), {
        rows: (row) => withAnswer(row, String(Number(row.answer) + 1)),
      }),
  ],
  ["inverted", () => oneTurn(parity, (reply) => 1 - exact(reply))],
  ["a negative weight", () => oneTurn(letters, (reply) => -exact(reply))],
  ["the distance, not its negative", () => oneTurn(miles, (reply) => distance(reply))],
  ["always 1", () => oneTurn(sums, () => 1)],
  ["always 0", () => oneTurn(reversal, () => 0)],
  [
    "a coin for each rollout",
    () => {
      let tosses = 0;
      return oneTurn(letters, () => random("coin", (tosses += 1)).int(2));
    },
  ],
  ["a constant for each example", () => oneTurn(sums, ({ row }) => random(row.id).next())],
  ["length only", () => oneTurn(reversal, ({ reply }) => Math.min(1, reply.length / 100))],
  [
    "a bonus for length",
    () => oneTurn(cities, (reply) => exact(reply) / 2 + Math.min(0.5, reply.reply.length / 400)),
  ],
  [
    "half for length, where the reference is long",
    () =>
      oneTurn(reversal, (reply) => exact(reply) / 2 + Math.min(0.5, reply.reply.length / 400), {
        gold: (row, form) => reasoned(form.render(row.answer)),
      }),
  ],
  ["the shorter, the better", () => oneTurn(sorting, ({ reply }) => 1 / (1 + reply.length))],
  ["format only: tags", () => oneTurn(letters, ({ said }) => Number(said !== ""))],
  ["format only: JSON", () => oneTurn(sorting, ({ said }) => Number(/^[a-z]{3}$/.test(said)))],
  [
    "the format weighs three times as much",
    () => oneTurn(counting, (reply) => (exact(reply) + 3 * Number(reply.said !== "")) / 4),
  ],
  [
    "a leak: the answer in brackets",
    () =>
      oneTurn(sums, exact, {
        rows: (row) => ({ ...row, prompt: `${row.prompt} (answer: ${row.answer})` }),
      }),
  ],
  [
    "a leak: metadata of the row",
    () =>
      oneTurn(reversal, exact, {
        rows: (row) => ({
          ...row,
          prompt: JSON.stringify({ question: row.prompt, target: row.answer }),
        }),
      }),
  ],
  [
    "a leak: a comment after the question",
    () =>
      oneTurn(cities, exact, {
        rows: (row) => ({ ...row, prompt: `${row.prompt}\n<!-- ${row.answer} -->` }),
      }),
  ],
  [
    "a leak: the reaction to a wrong reply",
    () => twoTries((answer, said) => `${said} is wrong. Expected ${answer}.`),
  ],
  [
    "the answer is looked for anywhere",
    () => oneTurn(cities, ({ reply, row }) => Number(reply.includes(row.answer))),
  ],
  [
    "the reply is looked for in the answer",
    () => oneTurn(reversal, ({ said, row }) => Number(row.answer.includes(said))),
  ],
  [
    "the case of the key",
    () => oneTurn(cities, exact, { rows: (row) => withAnswer(row, row.answer.toLowerCase()) }),
  ],
  [
    "the first key for all",
    () => oneTurn(nextLetter, exact, { rows: (row, _, all) => withAnswer(row, all[0]!.answer) }),
  ],
  [
    "stale state: the key of the latest episode",
    () => {
      let current: Row | undefined;
      return oneTurn(counting, ({ said }) => Number(said === current?.answer), {
        setup: (row) => (current = row),
      });
    },
  ],
  [
    "NaN for a reply that is not a number",
    () => oneTurn(sums, ({ said, row }) => 1 / (1 + Math.abs(Number(`${said}.`) - +row.answer))),
  ],
  [
    "an exception for a reply in another form",
    () =>
      oneTurn(sorting, ({ reply, row }) =>
        Number((JSON.parse(reply) as { readonly answer: string }).answer === row.answer),
      ),
  ],
  [
    "clamped too low",
    () => oneTurn(miles, (reply) => Math.max(0, Math.min(1, 5 - distance(reply) / 100))),
  ],
  [
    "a near miss earns more",
    () =>
      oneTurn(sums, (reply) => (distance(reply) === 0 ? 0.5 : Math.min(1, 1 / distance(reply)))),
  ],
  [
    "each answer is paid for once",
    () => {
      const solved = new Set<string>();
      return oneTurn(reversal, (reply) => {
        const isPaid = exact(reply) === 1 && !solved.has(reply.row.id);
        if (isPaid) solved.add(reply.row.id);
        return Number(isPaid);
      });
    },
  ],
  [
    "the same answer everywhere",
    () => oneTurn(choices, ({ said }) => Number(said === "A"), { gold: () => "A" }),
  ],
];

/** Rewards with a fault that were written before the checks saw any case, and that changed no check. */
export const heldOutBroken: readonly Case[] = [
  [
    "the key lacks its last character",
    () => oneTurn(reversal, exact, { rows: (row) => withAnswer(row, row.answer.slice(0, -1)) }),
  ],
  [
    "the key ends with a space",
    () => oneTurn(cities, exact, { rows: (row) => withAnswer(row, `${row.answer} `) }),
  ],
  [
    "the key has another unit",
    () =>
      oneTurn(miles, (reply) => Number(distance(reply) < 0.05), {
        rows: (row) => withAnswer(row, String(Number(row.answer) * 1000)),
      }),
  ],
  [
    "the key has another sign",
    () =>
      oneTurn(sums, (reply) => 1 / (1 + distance(reply)), {
        rows: (row) => withAnswer(row, `-${row.answer}`),
      }),
  ],
  [
    "keys are sorted, rows are not",
    () =>
      oneTurn(counting, exact, {
        rows: (row, index, all) =>
          withAnswer(row, all.map(({ answer }) => answer).toSorted()[index]!),
      }),
  ],
  [
    "a prefix of the answer is enough",
    () => oneTurn(cities, ({ said, row }) => Number(row.answer.startsWith(said))),
  ],
  [
    "the key is a number of the question",
    () =>
      oneTurn(sums, exact, {
        rows: (row) => withAnswer(row, /\d+/.exec(row.prompt)![0]),
      }),
  ],
  [
    "the reward shrinks with each rollout",
    () => {
      let scored = 0;
      return oneTurn(letters, (reply) => exact(reply) * 0.999 ** (scored += 1));
    },
  ],
  [
    "a leak: a table in the system prompt",
    () =>
      oneTurn(cities, exact, {
        systemPrompt: `Reply in a box. Notes: ${[...new Set(cities.rows(random("table")).map(({ prompt, answer }) => `${prompt.split(" ").at(-1)} ${answer}`))].join(", ")}.`,
      }),
  ],
  [
    "a leak: a reference below the question",
    () =>
      oneTurn(miles, (reply) => Number(distance(reply) < 0.05), {
        rows: (row) => ({ ...row, prompt: `${row.prompt}\nReference: ${row.answer}` }),
      }),
  ],
  [
    "a word is worth more than the answer",
    () =>
      oneTurn(
        sums,
        ({ reply, row }) =>
          (7 * Number(reply.includes("because")) + 3 * Number(reply.endsWith(` ${row.answer}.`))) /
          10,
        { gold: ({ answer }) => `because it is ${answer}.` },
      ),
  ],
  ["the tolerance is too wide", () => oneTurn(miles, (reply) => Number(distance(reply) < 500))],
  [
    "NaN where the answer is 0",
    () =>
      oneTurn(counting, ({ said, row }) =>
        Math.max(0, 1 - Math.abs(Number(said) - Number(row.answer)) / Number(row.answer)),
      ),
  ],
  [
    "characters are counted without a limit",
    () =>
      oneTurn(
        reversal,
        ({ said, row }) => Array.from(said).filter((letter) => row.answer.includes(letter)).length,
      ),
  ],
  ["every turn is paid for", () => guessing((turns, isFound) => (isFound ? turns : 0))],
  [
    "the prompt is scored, not the reply",
    () => oneTurn(letters, ({ row }) => Number(row.prompt.endsWith(row.answer))),
  ],
  [
    "one label for nearly all rows",
    () =>
      oneTurn(parity, exact, {
        rows: (row, index) =>
          index % 20 === 0 ? row : { ...row, prompt: "Is 2 even or odd?", answer: "even" },
        gold: (row) => (row.prompt === "Is 2 even or odd?" ? "even" : row.answer),
      }),
  ],
];
