import { defineEnvironment, type EnvironmentFactory, random } from "@envs/core";

import type { Case } from "./broken.ts";
import { guessing, sticks, twoTries } from "./episodes.ts";
import {
  bare,
  boxed,
  choices,
  cities,
  counting,
  distance,
  exact,
  json,
  letters,
  miles,
  nextLetter,
  oneTurn,
  parity,
  type Reply,
  reversal,
  sorting,
  sums,
  tags,
  type Task,
} from "./tasks.ts";

const relative = (reply: Reply): number => distance(reply) / Math.abs(Number(reply.row.answer));
const places = ({ said, row }: Reply): number =>
  Array.from(row.answer).filter((letter, at) => said[at] === letter).length / row.answer.length;

function commonPrefix({ said, row }: Reply): number {
  const letters = Array.from(row.answer);
  const at = letters.findIndex((letter, index) => said[index] !== letter);
  return (at === -1 ? letters.length : at) / letters.length;
}

/** The length of the longest common subsequence as a share of both texts. */
function similarity({ said, row: { answer } }: Reply): number {
  const lengths = Array.from({ length: said.length + 1 }, () =>
    Array<number>(answer.length + 1).fill(0),
  );
  for (let i = 1; i <= said.length; i += 1)
    for (let j = 1; j <= answer.length; j += 1)
      lengths[i]![j] =
        said[i - 1] === answer[j - 1]
          ? lengths[i - 1]![j - 1]! + 1
          : Math.max(lengths[i - 1]![j]!, lengths[i]![j - 1]!);
  return (2 * lengths[said.length]![answer.length]!) / (said.length + answer.length);
}

const products: Task = {
  name: "products",
  form: tags,
  rows: (draw) =>
    Array.from({ length: 400 }, () => {
      const [a, b] = [100 + draw.int(900), 100 + draw.int(900)];
      return { prompt: `${a} * ${b} = ?`, answer: String(a * b) };
    }),
};
const longReversal: Task = {
  name: "long-reversal",
  form: tags,
  rows: (draw) =>
    Array.from({ length: 400 }, () => {
      const text = Array.from({ length: 10 }, () => draw.pick(Array.from("abcdefghij")));
      return { prompt: text.join(""), answer: text.toReversed().join("") };
    }),
};

/** A policy that does not know the answer. */
function guessed(score: (said: string, letter: string) => number): EnvironmentFactory {
  const all = Array.from("abcd");
  return defineEnvironment({
    name: "guessed",
    dataset: () =>
      Array.from({ length: 300 }, (_, index) => ({
        id: `${index}`,
        prompt: `${index}: ${all[index % 4]}`,
        letter: all[index % 4]!,
      })),
    rubric: { right: ({ reply, example }) => score(reply.trim(), example.letter) },
    policies: { any: ({ random: draw }) => draw.pick(all) },
  }) as unknown as EnvironmentFactory;
}

/** Rewards without a fault, which the checks were written with. */
export const sound: readonly Case[] = [
  ["a letter, exactly", () => oneTurn(letters, exact)],
  [
    "a letter, by its distance in the alphabet",
    () =>
      oneTurn(letters, ({ said, row }) =>
        said.length === 1
          ? Math.max(0, 1 - Math.abs(said.charCodeAt(0) - row.answer.charCodeAt(0)) / 4)
          : 0,
      ),
  ],
  [
    "a letter, with noise",
    () => {
      let count = 0;
      return oneTurn(letters, (reply) => exact(reply) + random("noise", (count += 1)).next());
    },
  ],
  ["a policy that does not know the answer", () => guessed((said) => Number(said === "c"))],
  ["sums, exactly", () => oneTurn(sums, exact)],
  ["sums, by their distance", () => oneTurn(sums, (reply) => 1 / (1 + distance(reply)))],
  [
    "sums, with a penalty for the distance",
    () => oneTurn(sums, (reply) => -Math.min(60, distance(reply))),
  ],
  ["reversal, exactly", () => oneTurn(reversal, exact)],
  ["reversal, by letters in their place", () => oneTurn(reversal, places)],
  ["reversal, by similarity", () => oneTurn(reversal, similarity)],
  ["capitals, exactly", () => oneTurn(cities, exact)],
  [
    "capitals in any case",
    () =>
      oneTurn(cities, ({ said, row }) => Number(said.toLowerCase() === row.answer.toLowerCase())),
  ],
  ["a choice", () => oneTurn(choices, exact)],
  [
    "a choice, with a penalty for another form",
    () => oneTurn(choices, (reply) => (/^[A-D]$/.test(reply.said) ? exact(reply) : -1)),
  ],
  [
    "sorting, with a little for the format",
    () => oneTurn(sorting, (reply) => 0.8 * exact(reply) + 0.2 * Number(reply.said !== "")),
  ],
  ["sorting, by the common beginning", () => oneTurn(sorting, commonPrefix)],
  ["even or odd", () => oneTurn(parity, exact)],
  [
    "labels of which four of five are equal",
    () =>
      oneTurn(
        {
          ...parity,
          rows: (draw) =>
            Array.from({ length: 400 }, () => {
              const number = draw.int(1000);
              const answer = number % 5 === 0 ? "yes" : "no";
              return { prompt: `Is ${number} divisible by 5?`, answer };
            }),
        },
        exact,
      ),
  ],
  ["the next letter", () => oneTurn(nextLetter, exact)],
  ["miles, within a percent", () => oneTurn(miles, (reply) => Number(relative(reply) < 0.01))],
  [
    "miles, by the relative error",
    () => oneTurn(miles, (reply) => Math.max(0, 1 - relative(reply))),
  ],
  ["counting, exactly", () => oneTurn(counting, exact)],
  [
    "counting, by the distance",
    () => oneTurn(counting, (reply) => Math.max(0, 1 - distance(reply) / 3)),
  ],
  ["hard: products of three digits", () => oneTurn(products, exact)],
  ["sparse: ten letters, all right", () => oneTurn(longReversal, exact)],
  ["several turns: guess a number", () => guessing((_, isFound) => Number(isFound))],
  [
    "several turns: the fewer, the better",
    () => guessing((turns, isFound) => (isFound ? 1 - (turns - 1) / 10 : 0)),
  ],
  ["several turns: two tries", () => twoTries(() => "That is wrong. Try again.")],
  [
    "reasoning before the answer",
    () =>
      oneTurn(counting, exact, {
        gold: ({ prompt, answer }, form) =>
          `In ${prompt.split(" ").at(-1)!.slice(0, -1)} I count: ${Array.from({ length: Number(answer) }, () => "a").join(" ")}.${form.render(answer)}`,
      }),
  ],
  [
    "a small penalty for length",
    () => oneTurn(nextLetter, (reply) => exact(reply) - Math.min(0.3, reply.reply.length / 1000)),
  ],
  ["points up to 100", () => oneTurn(reversal, (reply) => 100 * places(reply))],
  [
    "a policy that is wrong for one row of twenty",
    () =>
      oneTurn(cities, exact, {
        gold: (row, form) => form.render(Number(row.id) % 20 === 7 ? "Bonn" : row.answer),
      }),
  ],
  [
    "harder rows are worth more",
    () => oneTurn(counting, (reply) => exact(reply) * (1 + Number(reply.row.answer))),
  ],
];

const hats: Task = {
  name: "hats",
  form: boxed,
  rows: (draw) =>
    Array.from({ length: 400 }, () => {
      const people = draw.shuffle(["Ann", "Bob", "Cem", "Dea"]).slice(0, 3);
      const colours = draw.shuffle(["red", "blue", "green", "black", "white"]).slice(0, 3);
      const at = draw.int(3);
      const text = people
        .map((name, index) => `The hat of ${name} is ${colours[index]}.`)
        .join(" ");
      return { prompt: `${text} Which colour has the hat of ${people[at]}?`, answer: colours[at]! };
    }),
};
const yesNo: Task = {
  ...parity,
  rows: (draw) =>
    Array.from({ length: 400 }, () => {
      const [a, b] = [draw.int(50), draw.int(50)];
      return {
        prompt: `Is ${a} larger than ${b}? Answer yes or no.`,
        answer: a > b ? "yes" : "no",
      };
    }),
};
const options: Task = {
  ...choices,
  rows: (draw) =>
    choices
      .rows(draw)
      .map(({ prompt, answer }) => ({ prompt: `${prompt}\nAnswer: A, B, C or D?`, answer })),
};
const lastWord: Task = {
  name: "last-word",
  form: tags,
  rows: (draw) =>
    Array.from({ length: 400 }, () => {
      const words = Array.from({ length: 3 }, () => draw.pick(["fig", "ash", "oak", "elm", "yew"]));
      return { prompt: `Copy the last word: ${words.join(" ")}`, answer: words.at(-1)! };
    }),
};
const halves: Task = {
  name: "halves",
  form: bare,
  rows: (draw) =>
    Array.from({ length: 400 }, () => {
      const number = draw.int(40);
      return { prompt: `What is half of ${number}?`, answer: String(number / 2) };
    }),
};
const pairs: Task = {
  name: "pairs",
  form: json,
  rows: (draw) =>
    Array.from({ length: 400 }, () => {
      const [a, b] = draw.shuffle(Array.from("abcdefgh"));
      return { prompt: `Name the two letters: ${a}${b}`, answer: `${a},${b}` };
    }),
};

/** Rewards without a fault that were written before the checks saw any case, and that changed no check. */
export const heldOutSound: readonly Case[] = [
  ["an answer that is in the text", () => oneTurn(hats, exact)],
  [
    "the format is worth 0.4",
    () => oneTurn(sorting, (reply) => 0.6 * exact(reply) + 0.4 * Number(reply.said !== "")),
  ],
  [
    "half for each of two letters",
    () =>
      oneTurn(pairs, ({ said, row }) => {
        const [a, b] = row.answer.split(",");
        const [left, right] = said.split(",");
        return Number(left === a) / 2 + Number(right === b) / 2;
      }),
  ],
  ["yes or no, with both in the prompt", () => oneTurn(yesNo, exact)],
  ["options after the word answer", () => oneTurn(options, exact)],
  [
    "several turns: a hint with the distance",
    () =>
      guessing(
        (_, isFound) => Number(isFound),
        (guess, secret) =>
          `${guess < secret ? "Higher." : "Lower."} You are off by ${Math.abs(guess - secret)}.`,
      ),
  ],
  [
    "a penalty for a wrong answer, nothing for silence",
    () => oneTurn(sums, (reply) => (reply.said === "" ? 0 : 2 * exact(reply) - 1)),
  ],
  [
    "a limit of 100 characters",
    () => oneTurn(cities, (reply) => exact(reply) * Number(reply.reply.length < 100)),
  ],
  [
    "equal numbers in any notation",
    () =>
      oneTurn(halves, ({ said, row }) =>
        Number(said !== "" && Number(said) === Number(row.answer)),
      ),
  ],
  [
    "five examples",
    () => oneTurn({ ...cities, rows: (draw) => cities.rows(draw).slice(0, 5) }, exact),
  ],
  [
    "half for the first letter",
    () =>
      oneTurn(
        reversal,
        (reply) => exact(reply) / 2 + Number(reply.said[0] === reply.row.answer[0]) / 2,
      ),
  ],
  ["several turns: a game against chance", () => sticks()],
  ["a policy that guesses", () => guessed((said, letter) => Number(said === letter))],
  [
    "the last of several answers counts",
    () =>
      oneTurn(nextLetter, ({ reply, row }) =>
        Number([...reply.matchAll(/<answer>(.*?)<\/answer>/gs)].at(-1)?.[1]?.trim() === row.answer),
      ),
  ],
  ["copying is the task", () => oneTurn(lastWord, exact)],
  [
    "three steps of credit",
    () =>
      oneTurn(miles, (reply) =>
        relative(reply) < 0.01 ? 1 : relative(reply) < 0.1 ? 0.5 : relative(reply) < 0.3 ? 0.2 : 0,
      ),
  ],
  [
    "two letters in any order",
    () =>
      oneTurn(pairs, ({ said, row }) =>
        Number(said.split(",").toSorted().join() === row.answer.split(",").toSorted().join()),
      ),
  ],
];
