import { dataset, defineEnvironment, end, invalid } from "@envs/core";

import { describeBoard } from "./board.ts";
import { config } from "./config.ts";
import { readGuess, remaining, rules, showMarks, writeGuess } from "./conversation.ts";
import { type Guess, marksOf, shareRevealed } from "./marks.ts";
import { candidates, mostInformative } from "./solver.ts";
import { wordList } from "./words.ts";

const range = [0, 1] as const;

export default defineEnvironment({
  name: "wordle",
  description: "Find a hidden word from the letters that each guess reveals.",
  tags: ["game", "multi-turn", "word-puzzle"],
  config,

  systemPrompt: ({ config }) => rules(config),

  dataset: ({ config, random }) =>
    dataset.split(
      random
        .shuffle(wordList(config.letters).secrets)
        .map((secret) => ({ prompt: "Make your first guess.", secret })),
      { train: 4, eval: 1 },
    ),

  setup: () => ({ guesses: [] as readonly Guess[], isFound: false, illegal: 0 }),

  respond({ reply, state, example: { secret }, config }) {
    const read = readGuess(reply, state.guesses, config);
    if ("problem" in read) {
      state.illegal += 1;
      return invalid(`${read.problem} Guess again.`);
    }
    const guess = { word: read.word, marks: marksOf(read.word, secret) };
    state.guesses = [...state.guesses, guess];
    state.isFound = read.word === secret;
    const left = config.tries - state.guesses.length;
    if (state.isFound) return end(`${showMarks(guess)}\nYou found the word.`);
    if (left === 0) return end(`${showMarks(guess)}\nThe word was ${secret}.`);
    return `${showMarks(guess)}\n${remaining(left)}`;
  },

  episode: { maxTurns: ({ config: { tries, slips } }) => tries + slips },

  game: { board: ({ state: { guesses }, config }) => describeBoard(guesses, config) },

  rubric: {
    found: {
      description: "1 if the word was found",
      range,
      score: ({ state }) => state.isFound,
    },
    speed: {
      weight: 0.2,
      description:
        "1 if the first guess is the word, and less for each further one; 0 if not found",
      range,
      score: ({ state: { isFound, guesses }, config: { tries } }) =>
        isFound ? (tries + 1 - guesses.length) / tries : 0,
    },
    progress: {
      weight: 0.2,
      description: "Share of the word that the best guess revealed; a letter elsewhere counts half",
      range,
      score: ({ state: { guesses } }) => Math.max(0, ...guesses.map(shareRevealed)),
    },
    illegal: {
      weight: -0.1,
      description: "Share of replies that were not legal guesses",
      range,
      score: ({ state: { illegal }, turns }) => illegal / Math.max(turns, 1),
    },
  },

  metrics: {
    guesses: {
      description: "Number of guesses until the word was found; null if it was not",
      score: ({ state: { isFound, guesses } }) => (isFound ? guesses.length : null),
    },
  },

  policies: {
    solver: ({ state, config }) => writeGuess(mostInformative(config.letters, state.guesses)),
    consistent: ({ state, config, random }) =>
      writeGuess(random.pick(candidates(config.letters, state.guesses))),
    random: ({ config, random }) => writeGuess(random.pick([...wordList(config.letters).guesses])),
    repeating: ({ config }) => writeGuess(mostInformative(config.letters, [])),
    listing: ({ config, random }) =>
      writeGuess(random.shuffle(wordList(config.letters).secrets).slice(0, 50).join(" ")),
    "several-tags": ({ config, random }) =>
      random.shuffle(wordList(config.letters).secrets).slice(0, 50).map(writeGuess).join("\n"),
    outside: ({ config, random }) =>
      writeGuess(random.shuffle(Array.from("eariotnslcud")).slice(0, config.letters).join("")),
  },
});
