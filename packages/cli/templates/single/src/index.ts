import { defineEnvironment, xmlParser } from "@envs/core";
import * as z from "zod";

import { countLetter, randomWord } from "./words.ts";

const parser = xmlParser("answer");

export default defineEnvironment({
  name: "{{name}}",
  description: "{{description}}",
  tags: ["single-turn"],

  config: z.object({
    length: z.int().min(1).default(12).describe("Number of letters in each word"),
  }),

  systemPrompt: `Count letters. Answer as ${parser.format}`,

  *dataset({ config, random }) {
    for (;;) {
      const word = randomWord(config.length, random);
      const letter = word.charAt(random.int(word.length));
      const prompt = `How many times does the letter ${letter} occur in ${word}?`;
      yield { prompt, answer: countLetter(word, letter) };
    }
  },

  rubric: {
    exact: {
      weight: 0.8,
      range: [0, 1],
      score: ({ reply, example }) => (parser.parse(reply).answer === `${example.answer}` ? 1 : 0),
    },
    format: {
      weight: 0.2,
      range: [0, 1],
      score: ({ completion }) => parser.formatScore(completion),
    },
  },

  policies: {
    best: ({ example }) => parser.render({ answer: `${example.answer}` }),
    guess: ({ random, config }) => parser.render({ answer: `${random.int(config.length)}` }),
  },
});
