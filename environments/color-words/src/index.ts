import { defineEnvironment, end } from "@envs/core";

import { createCode, readWord, rules, shareRight, showImage, writeWord } from "./code.ts";
import { config } from "./config.ts";

const range = [0, 1] as const;

export default defineEnvironment({
  name: "color-words",
  description: "Read a code word from coloured squares that arrive image by image.",
  tags: ["images", "multi-turn"],
  config,
  media: { kinds: ["image"] },

  systemPrompt: rules,

  dataset: ({ config, random }) => ({
    // Without it, programs that count the rows would draw ten thousand images.
    size: Infinity,
    *[Symbol.iterator]() {
      for (;;) {
        const code = createCode(random, config);
        yield { prompt: [showImage(code, 0, config)], ...code };
      }
    },
  }),

  setup: () => ({ words: [] as string[] }),

  respond({ reply, state, example, config, turns }) {
    state.words.push(readWord(reply));
    return turns < config.images ? [showImage(example, turns, config)] : end();
  },

  episode: { maxTurns: ({ config }) => config.images },

  rubric: {
    word: {
      description: "1 if the last reply has the whole code word",
      range,
      score: ({ state, example, config }) => state.words[config.images - 1] === example.word,
    },
    letters: {
      weight: 0.2,
      description: "Share of the letters of the last reply that are right, in their place",
      range,
      score: ({ state, example, config }) =>
        shareRight(state.words[config.images - 1] ?? "", example.word),
    },
  },

  metrics: {
    soFar: {
      description: "Share of the replies that have the word so far",
      range,
      score: ({ state: { words }, example, config: { images, squares } }) =>
        words.filter((word, index) => word === example.word.slice(0, (index + 1) * squares))
          .length / images,
    },
  },

  policies: {
    reader: ({ example, turns, config }) =>
      writeWord(example.word.slice(0, (turns + 1) * config.squares)),
    forgetful: ({ example, turns, config }) =>
      writeWord(example.word.slice(turns * config.squares, (turns + 1) * config.squares)),
    blind: ({ example: { legend, word }, random }) =>
      writeWord(Array.from(word, () => random.pick(legend).letter).join("")),
    "one-letter": ({ example: { legend, word } }) =>
      writeWord(legend[0]!.letter.repeat(word.length)),
    "long-word": ({ example: { legend, word } }) =>
      writeWord(legend.map(({ letter }) => letter.repeat(word.length)).join("")),
    "several-tags": ({ example: { legend, word }, random }) =>
      Array.from({ length: 50 }, () =>
        writeWord(Array.from(word, () => random.pick(legend).letter).join("")),
      ).join("\n"),
  },
});
