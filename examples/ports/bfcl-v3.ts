// bfcl_v3, ported: call functions as people ask. Each category is an environment, and `mix` makes them one.
import { callTools, dataset, defineEnvironment, type Message, mix, tool } from "@envs/core";
import { jsonl } from "@envs/data";
import * as z from "zod";

import {
  answer,
  type Answer,
  areRight,
  callsOf,
  nameOf,
  rightCalls,
} from "./support/function-calls.ts";

const leaderboard = "hf://datasets/gorilla-llm/Berkeley-Function-Calling-Leaderboard";

const row = z.object({
  id: z.string(),
  // One turn: the categories with several are played by classes in Python.
  question: z.tuple([z.array(z.object({ role: z.enum(["system", "user"]), content: z.string() }))]),
  function: z.array(
    z.object({ name: z.string(), description: z.string(), parameters: z.unknown() }),
  ),
});
const truth = z.object({ id: z.string(), ground_truth: z.array(answer) });

const category = (name: string, hasAnswers = true) =>
  defineEnvironment({
    name: `bfcl-v3-${name}`,
    tags: ["tools", "function-calling"],

    config: z.object({
      folder: z.string().default(leaderboard).describe("Folder of the files BFCL_v3_*.json"),
    }),

    async *dataset({ config: { folder } }) {
      const file = `BFCL_v3_${name}.json`;
      const answers = new Map<string, readonly Answer[]>();
      if (hasAnswers)
        for await (const { id, ground_truth } of jsonl(`${folder}/possible_answer/${file}`, {
          schema: truth,
        }))
          answers.set(id, ground_truth);
      yield* dataset.map(
        jsonl(`${folder}/${file}`, { schema: row }),
        ({ id, question, ...rest }) => ({
          id,
          prompt: question[0] as readonly Message[],
          functions: rest.function,
          answers: answers.get(id) ?? [],
        }),
      );
    },

    tools: ({ example: { functions } }) =>
      Object.fromEntries(
        functions.map(({ name: spec, description, parameters }) => {
          const input = z.fromJSONSchema(jsonSchemaOf(parameters)) as z.ZodObject;
          return [nameOf(spec), tool({ description, input, execute: () => "Done." })];
        }),
      ),
    episode: {
      // Only the first message counts.
      stop: { answered: ({ turns }) => turns > 0 },
    },

    rubric: {
      correct: ({ completion, example: { answers } }) => areRight(callsOf(completion), answers),
    },

    policies: {
      gold: ({ example: { answers } }) => callTools(rightCalls(answers)),
      "first-call": ({ example: { answers } }) => callTools(rightCalls(answers).slice(0, 1)),
      "every-tool": ({ example: { functions } }) =>
        callTools(functions.map(({ name: spec }) => [nameOf(spec), {}] as const)),
    },
  });

export default mix({
  name: "bfcl-v3",
  description: "Call the right functions with the right arguments, or none.",
  parts: {
    simple: { environment: category("simple") },
    parallel: { environment: category("parallel") },
    irrelevance: { environment: category("irrelevance", false) },
  },
});

/** The schema of a function's parameters, whose types have the names of Python. */
function jsonSchemaOf(parameters: unknown): z.core.JSONSchema.JSONSchema {
  const types: Readonly<Record<string, string | undefined>> = {
    dict: "object",
    float: "number",
    tuple: "array",
    any: undefined,
  };
  const text = JSON.stringify(parameters, (key, value: unknown) =>
    key === "type" && typeof value === "string" && value in types ? types[value] : value,
  );
  return JSON.parse(text) as z.core.JSONSchema.JSONSchema;
}
