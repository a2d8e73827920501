// A complete multi-turn environment. Run it: `envs eval ./examples/guess-the-number.ts -m policy:halving`.
// #region head
import { defineEnvironment, end, invalid, xmlParser } from "@envs/core";
import * as z from "zod";

const parser = xmlParser("guess");

export default defineEnvironment({
  name: "guess-the-number",
  description: "Find a number; the answer to each guess is higher or lower.",
  tags: ["game", "multi-turn"],

  config: z.object({
    most: z.int().min(2).default(100).describe("The greatest number that can be the secret"),
  }),

  systemPrompt: ({ config }) =>
    `Find my number from 1 to ${config.most}. Answer with one guess in this form: ${parser.format}`,
  // #endregion

  // #region dataset
  *dataset({ config, random }) {
    for (let round = 0; ; round += 1)
      yield { prompt: "Guess.", round, secret: 1 + random.int(config.most) };
  },
  // #endregion

  // #region interaction
  setup: ({ config }) => ({ low: 1, high: config.most, found: false }),

  respond({ reply, state, example: { secret } }) {
    const guess = Number(parser.parse(reply).guess || Number.NaN);
    if (!Number.isInteger(guess))
      return invalid(`That is not a guess. Answer in this form: ${parser.format}`);
    if (guess === secret) {
      state.found = true;
      return end("You found it.");
    }
    if (guess < secret) {
      state.low = Math.max(state.low, guess + 1);
      return "Higher.";
    }
    state.high = Math.min(state.high, guess - 1);
    return "Lower.";
  },
  // #endregion

  // #region episode
  episode: { maxTurns: ({ config }) => 2 * Math.ceil(Math.log2(config.most)) },
  // #endregion

  // #region choices
  game: {
    choices: ({ config }) =>
      Array.from({ length: config.most }, (_, index) => {
        const label = String(index + 1);
        return { reply: parser.render({ guess: label }), label };
      }),
  },
  // #endregion

  // #region rubric
  rubric: {
    found: {
      description: "1 if the model found the number",
      range: [0, 1],
      score: ({ state }) => Number(state.found),
    },
    format: {
      weight: 0.2,
      description: "Share of replies with a guess in its tags",
      range: [0, 1],
      score: ({ completion }) => parser.formatScore(completion),
    },
  },

  metrics: {
    guesses: {
      description: "Number of guesses; null if the model did not find the number",
      score: ({ state, turns }) => (state.found ? turns : null),
    },
  },
  // #endregion

  // #region policies
  policies: {
    halving: ({ state }) =>
      parser.render({ guess: String(Math.floor((state.low + state.high) / 2)) }),
    careless: ({ state: { low, high }, random, parameter = 0.15 }) => {
      const guess =
        random.next() < parameter ? low + random.int(high - low + 1) : Math.floor((low + high) / 2);
      return parser.render({ guess: String(guess) });
    },
  },
  // #endregion
});
