// A single-turn environment of Python's verifiers, ported. Run it: `envs eval ./examples/from-verifiers.ts -m policy:gold`.
import { join } from "node:path";

import { dataset, defineEnvironment, xmlParser } from "@envs/core";
import { jsonLines } from "@envs/records/node";
import * as z from "zod";

const parser = xmlParser("think", "answer");
const rows = z.object({ question: z.string(), answer: z.string() });

export default defineEnvironment({
  name: "from-verifiers",
  description: "Answer the questions in a JSONL file.",

  config: z.object({
    file: z
      .string()
      .default(join(import.meta.dirname, "questions.jsonl"))
      .describe("A JSONL file with questions and answers"),
  }),

  systemPrompt: `Think, then answer. Use this form: ${parser.format}`,

  dataset: ({ config }) =>
    dataset.map(jsonLines(config.file, rows), ({ question, answer }) => ({
      prompt: question,
      answer,
    })),

  rubric: {
    exact: ({ reply, example }) => (parser.parse(reply).answer === example.answer ? 1 : 0),
    format: {
      weight: 0.2,
      score: ({ completion }) => parser.verifiersFormatScore(completion),
    },
  },

  policies: {
    gold: ({ example }) => parser.render({ think: "I know this.", answer: example.answer }),
  },
});
