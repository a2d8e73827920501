import { defineEnvironment, end, xmlParser } from "@envs/core";
import * as z from "zod";

import { guess, middle } from "./search.ts";

const parser = xmlParser("guess");
const guessReply = (number: number): string => parser.render({ guess: `${number}` });

export default defineEnvironment({
  name: "{{name}}",
  description: "{{description}}",
  tags: ["multi-turn"],

  config: z.object({
    high: z.int().min(1).default(100).describe("Maximum of the secret number"),
  }),

  systemPrompt: ({ config }) =>
    `Find a secret number from 1 to ${config.high}. Guess one number a turn, as ${parser.format}`,

  *dataset({ config, random }) {
    for (let game = 1; ; game += 1)
      yield { prompt: `Game ${game}. What is your guess?`, secret: 1 + random.int(config.high) };
  },

  setup: ({ config }) => ({ low: 1, high: config.high, isFound: false }),

  respond({ reply, state, example }) {
    const number = Number(parser.parse(reply).guess || Number.NaN);
    if (!Number.isInteger(number)) return `That is not a whole number. Answer as ${parser.format}`;
    const feedback = guess(state, example.secret, number);
    return state.isFound ? end(feedback) : feedback;
  },

  episode: { maxTurns: ({ config }) => Math.ceil(Math.log2(config.high + 1)) },

  rubric: {
    found: { weight: 0.8, range: [0, 1], score: ({ state }) => (state.isFound ? 1 : 0) },
    format: {
      weight: 0.2,
      range: [0, 1],
      score: ({ completion }) => parser.formatScore(completion),
    },
  },

  metrics: { guesses: ({ turns }) => turns },

  policies: {
    best: ({ state }) => guessReply(middle(state)),
    guess: ({ config, random }) => guessReply(1 + random.int(config.high)),
  },
});
