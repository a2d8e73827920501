import { assistantMessage, callTools, defineEnvironment } from "@envs/core";
import { huggingFace } from "@envs/data";
import { requireMathVerify } from "@envs/scores/maths";
import * as z from "zod";

import { boxed, finalAnswer, isRight } from "./answer.ts";
import { interpreter, provider } from "./interpreter.ts";
import { type Problem, rowSchema } from "./problem.ts";
import { problems } from "./problems.ts";

/** The rows of MATH-500. Checks before the first one that answers can be compared, before a reply is paid for. */
const checked = (rows: AsyncIterable<Problem>) => ({
  size: 500,
  async *[Symbol.asyncIterator]() {
    await requireMathVerify();
    yield* rows;
  },
});

const solve = (answer: string): string => `The answer is \\boxed{${answer}}.`;

export default defineEnvironment({
  name: "math-python",
  description:
    "Solve mathematical problems with a Python tool. Answers are compared as mathematics.",
  tags: ["mathematics", "tools", "python", "sandbox", "multi-turn"],
  requires: [provider],

  config: z.object({
    examples: z
      .int()
      .min(1)
      .max(5000)
      .default(500)
      .describe("Number of problems in the split offline"),
    revision: z.string().min(1).default("main").describe("Revision of HuggingFaceH4/MATH-500"),
    maxTurns: z.int().min(1).default(8).describe("Maximum number of model turns per problem"),
  }),

  systemPrompt: `You solve mathematical problems. The tool python runs code; its variables live from call to call. End with your final answer in ${boxed.format}.`,

  dataset({ config: { examples, revision }, random }) {
    const rows = huggingFace("HuggingFaceH4/MATH-500", {
      split: "test",
      revision,
      schema: rowSchema,
    });
    return { offline: problems(random).take(examples), test: checked(rows) };
  },

  setup: () => interpreter(),

  tools: {
    python: {
      description: "Runs Python. Returns what it prints, and the value of its last expression.",
      input: z.object({ code: z.string().max(20_000).describe("Python 3, standard library") }),
      execute: ({ code }, { state, signal }) => state.run(code, signal),
    },
  },

  episode: { maxTurns: ({ config: { maxTurns } }) => maxTurns },

  rubric: {
    correct: {
      description: "1 if the last boxed answer after the thinking is the right one",
      range: [0, 1],
      score: ({ reply, example, signal }) => isRight(reply, example.answer, signal),
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
    solver({ example, turns }) {
      if (turns > 0) return assistantMessage(solve(example.answer));
      return callTools([["python", { code: example.program }]]);
    },
    guess: () => assistantMessage(solve("1")),
    unboxed: ({ example }) => assistantMessage(`The answer is ${example.answer}.`),
    thinking: ({ example }) => assistantMessage(`<think>${solve(example.answer)}</think> Done.`),
  },
});
