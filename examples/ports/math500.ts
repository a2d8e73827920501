// math500, ported: competition mathematics whose answers are expressions.
import { boxedParser, defineEnvironment, thinkParser } from "@envs/core";
import { huggingFace } from "@envs/data";
import { sameMath } from "@envs/scores/maths";
import * as z from "zod";

const parser = boxedParser();
const thoughts = thinkParser({ lenient: true });

const row = z
  .object({
    problem: z.string(),
    answer: z.string(),
    subject: z.string(),
    level: z.number(),
    unique_id: z.string(),
  })
  .transform(({ problem, unique_id, ...rest }) => ({ id: unique_id, prompt: problem, ...rest }));

export default defineEnvironment({
  name: "math500",
  description: "Solve 500 problems of competition mathematics.",
  tags: ["mathematics"],

  systemPrompt: `Solve the problem step by step. End with the answer in ${parser.format}.`,

  dataset: () => huggingFace("HuggingFaceH4/MATH-500", { schema: row, split: { eval: "test" } }),

  rubric: {
    // #region maths
    correct: ({ reply, example, signal }) =>
      sameMath(parser.parse(thoughts.parse(reply)) ?? "", example.answer, { signal }),
    // #endregion
  },

  policies: {
    gold: ({ example }) => `Therefore the answer is \\boxed{${example.answer}}.`,
    unboxed: ({ example }) => `Therefore the answer is ${example.answer}.`,
  },
});
