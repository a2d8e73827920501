// Sums of two-digit numbers, of which one in eleven is held out. A tiny language model learns them:
// `envs train ./examples/two-digit-addition.ts --config examples/two-digit-addition.config.ts`.
import { defineEnvironment } from "@envs/core";
import * as z from "zod";

/** Whether training never shows this sum. */
const isHeldOut = (a: number, b: number): boolean => (7 * a + 3 * b) % 11 === 0;

export default defineEnvironment({
  name: "two-digit-addition",
  description: "Add two numbers of two digits.",
  tags: ["maths", "single-turn"],

  config: z.object({
    heldOut: z.boolean().default(false).describe("Ask the sums that training never shows"),
  }),

  *dataset({ config, random }) {
    for (let round = 0; ; round += 1) {
      const [a, b] = [10 + random.int(90), 10 + random.int(90)];
      if (isHeldOut(a, b) !== config.heldOut) continue;
      yield { prompt: `${a} + ${b} = ?`, round, a, b };
    }
  },

  rubric: {
    exact: {
      description: "1 if the last number of the reply is the sum",
      range: [0, 1],
      score: ({ reply, example: { a, b } }) =>
        Number(/\d+(?=\D*$)/u.exec(reply)?.[0] === String(a + b)),
    },
  },

  policies: {
    // The ones, the tens with the carry, the sum: 48 + 37 gives "15, 8: 85".
    steps({ example: { a, b } }) {
      const ones = (a % 10) + (b % 10);
      return `${ones}, ${Math.floor((a + b) / 10)}: ${a + b}`;
    },
  },
});
