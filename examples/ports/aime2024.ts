// aime2024, ported: 30 problems whose answers are whole numbers from 0 to 999.
import { boxedParser, defineEnvironment, thinkParser } from "@envs/core";
import { huggingFace } from "@envs/data";
import { sameMath } from "@envs/scores/maths";
import * as z from "zod";

const parser = boxedParser();
const thoughts = thinkParser({ lenient: true });

const row = z
  .object({ id: z.coerce.string(), problem: z.string(), answer: z.string() })
  .transform(({ id, problem, answer }) => ({ id, prompt: problem, answer }));

export default defineEnvironment({
  name: "aime2024",
  description: "Solve the problems of the American Invitational Mathematics Examination of 2024.",
  tags: ["mathematics"],

  systemPrompt: `Solve the following math problem. Explain your reasoning and put the final answer in ${parser.format}.`,

  dataset: () => huggingFace("HuggingFaceH4/aime_2024", { schema: row, split: { eval: "train" } }),

  rubric: {
    correct: ({ reply, example, signal }) =>
      sameMath(parser.parse(thoughts.parse(reply)) ?? "", example.answer, { signal }),
  },

  policies: {
    gold: ({ example }) => `<think>I count.</think> \\boxed{${Number(example.answer)}}`,
    "boxed-in-thoughts": ({ example }) => `<think>\\boxed{${example.answer}}</think> I am done.`,
    unboxed: ({ example }) => example.answer,
  },
});
