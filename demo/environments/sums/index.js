import { boxedParser, defineEnvironment, random } from "@envs/core";
import * as z from "zod";

import { rubric } from "./rubric.js";

const boxed = boxedParser();

export default defineEnvironment({
  name: "sums",
  description: "Add several numbers without a calculator.",
  tags: ["mathematics", "single-turn"],

  config: z.object({
    level: z
      .int()
      .min(1)
      .max(3)
      .default(2)
      .describe("How many numbers, and how many digits each has"),
    examples: z.int().min(1).max(10_000).default(40).describe("Number of sums in the dataset"),
  }),

  systemPrompt: `Add the numbers. End with the sum in ${boxed.format}.`,

  *dataset({ config: { level, examples } }) {
    // The same sums for each seed, so that runs can be compared example by example.
    const draw = random(0, "sums");
    for (let index = 0; index < examples; index += 1) {
      const numbers = Array.from({ length: level + 1 }, () => draw.int(10 ** level));
      const sum = numbers.reduce((total, number) => total + number, 0);
      yield { id: `sum-${index + 1}`, prompt: `${numbers.join(" + ")} = ?`, answer: String(sum) };
    }
  },

  rubric: rubric(boxed),

  policies: {
    adder: ({ example }) => `The sum is \\boxed{${example.answer}}.`,
    "one-off": ({ example }) => `The sum is \\boxed{${Number(example.answer) + 1}}.`,
    "often-right": ({ example, random }) =>
      `The sum is \\boxed{${random.int(3) === 0 ? "0" : example.answer}}.`,
  },
});
