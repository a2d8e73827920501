import { assistantMessage, defineEnvironment, random as randomOf, userMessage } from "@envs/core";
import { huggingFace } from "@envs/data";
import { requireMathVerify, sameMath } from "@envs/scores/maths";
import * as z from "zod";

import { boxed, finalAnswer } from "./answer.ts";
import { problems } from "./problems.ts";
import { type Problem, rowSchema } from "./row.ts";

const maxProblems = 5000;

const solve = ({ solution, answer }: Omit<Problem, "prompt">): string =>
  `${solution}\nThe answer is \\boxed{${answer}}.`;

/** Rows of openai/gsm8k. Checks before the first one that answers can be compared, before a reply is paid for. */
const checked = (size: number, rows: AsyncIterable<Problem>) => ({
  size,
  async *[Symbol.asyncIterator]() {
    await requireMathVerify();
    yield* rows;
  },
});

export default defineEnvironment({
  name: "gsm8k",
  description: "Solve grade-school word problems. Answers are compared as mathematics.",
  tags: ["mathematics", "single-turn"],

  config: z.object({
    examples: z
      .int()
      .min(1)
      .max(maxProblems)
      .default(1000)
      .describe("Number of problems in the split offline"),
    shots: z.int().min(0).max(8).default(0).describe("Number of solved problems in the prompt"),
    revision: z.string().min(1).default("main").describe("Revision of openai/gsm8k"),
  }),

  systemPrompt: `Solve the problem step by step. End with your final answer, a number alone, in ${boxed.format}.`,

  dataset({ config: { examples, revision }, random }) {
    const { train, test } = huggingFace("openai/gsm8k", {
      config: "main",
      split: { train: "train", test: "test" },
      revision,
      schema: rowSchema,
    });
    return {
      offline: problems(random).take(examples),
      train: checked(7473, train),
      test: checked(1319, test),
    };
  },

  episode: {
    fewShot: ({ config }) =>
      problems(randomOf("gsm8k", "few-shot"))
        .take(config.shots)
        .flatMap((problem) => [userMessage(problem.prompt), assistantMessage(solve(problem))])
        .toArray(),
  },

  rubric: {
    correct: {
      description: "1 if the last boxed answer after the thinking is the same number",
      range: [0, 1],
      score: ({ reply, example, signal }) =>
        sameMath(finalAnswer(reply), example.answer, { signal }),
    },
  },

  metrics: {
    answered: {
      description: "1 if there is a boxed answer after the thinking",
      range: [0, 1],
      score: ({ reply }) => finalAnswer(reply) !== "",
    },
  },

  policies: {
    solver: ({ example }) => solve(example),
    unboxed: ({ example }) => `The answer is ${example.answer}.`,
    thinking: ({ example }) => `<think>${solve(example)}</think> I am done.`,
    echo: ({ example }) => example.prompt,
  },
});
