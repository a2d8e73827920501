import { defineEnvironment, xmlParser } from "@envs/core";
import * as z from "zod";

import { sameAnswer } from "./answer.ts";
import { examplesOf } from "./examples.ts";
import { textOf, writeLetters } from "./letters.ts";
import { languages, Notebook } from "./notebook.ts";
import { play } from "./play.ts";
import { kinds } from "./questions.ts";
import { readLetters } from "./scripted-reader.ts";

const parser = xmlParser("answer");
const count = z.int().min(1);

export default defineEnvironment({
  name: "long-context",
  description: "Answer questions about a long text that only code and a sub-model can read.",
  tags: ["long-context", "recursive", "sandbox", "tools"],

  config: z.object({
    characters: z.int().min(20_000).max(1_000_000).default(60_000).describe("Length of the text"),
    language: z.enum(["javascript", "python"]).default("javascript").describe("Of the code"),
    kinds: z
      .array(z.enum(kinds))
      .min(1)
      .default([...kinds])
      .describe("Kinds of questions"),
    examples: count.default(500).describe("Number of questions in each split"),
    maxTurns: count.default(12).describe("Maximum number of model turns"),
    maxOutput: count.default(4000).describe("Characters that a run of code shows"),
    maxPrompt: count.default(16_000).describe("Characters that the sub-model reads at once"),
    subCalls: count.default(100).describe("Sub-model calls per rollout"),
    subTokens: count.default(500_000).describe("Input and output tokens of all sub-model calls"),
  }),

  requires: ({ config }) => [languages[config.language].provider],

  dataset: ({ config, random }) => ({
    train: examplesOf(config, random.for("train")),
    eval: examplesOf(config, random.for("eval")),
  }),

  subModel: {
    maxCalls: ({ config }) => config.subCalls,
    maxTokens: ({ config }) => config.subTokens,
    policy: (asked) => readLetters(asked),
  },

  setup: ({ config, example: { seed, characters }, subModel, signal }) => ({
    notebook: new Notebook({
      language: languages[config.language],
      text: textOf(writeLetters(seed, characters)),
      maxPrompt: config.maxPrompt,
      subModel,
      signal,
    }),
  }),

  tools: {
    run: {
      description: "Runs code. Variables stay for the next run.",
      input: z.object({ code: z.string() }),
      sequential: true,
      execute: ({ code }, { state, config }) => state.notebook.run(code, config.maxOutput),
    },
  },

  episode: { maxTurns: ({ config }) => config.maxTurns },

  rubric: {
    correct: {
      description: "1 if the text in the answer tags is the answer",
      range: [0, 1],
      score: ({ reply, example }) => sameAnswer(parser.parse(reply).answer, example.answer),
    },
  },

  metrics: {
    asked: { description: "Prompts to the sub-model", score: ({ state }) => state.notebook.asked },
  },

  policies: {
    reader: (position) => play.reader(position),
    half: (position) => play.half(position),
    words: (position) => play.words(position),
    print: (position) => play.print(position),
    everything: (position) => play.everything(position),
    forger: (position) => play.forger(position),
    guess: (position) => play.guess(position),
  },
});
