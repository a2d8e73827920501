// Rows of a CSV file, with a split for training. Run it: `envs eval ./examples/countries.ts -m policy:gold`.
import { dataset, defineEnvironment } from "@envs/core";
import { csv } from "@envs/data";
import * as z from "zod";

const file = new URL("countries.csv", import.meta.url);

export default defineEnvironment({
  name: "countries",
  description: "Name the capitals of countries in Europe.",

  // #region dataset
  dataset({ random }) {
    const rows = csv(file, {
      where: { continent: "Europe" },
      columns: { prompt: "country", answer: "capital" },
      schema: z.object({
        prompt: z.string().transform((country) => `What is the capital of ${country}?`),
        answer: z.string().min(1),
      }),
      shuffle: random,
    });
    return dataset.split(rows, { train: 1, eval: 1 });
  },
  // #endregion dataset

  rubric: { exact: ({ reply, example }) => (reply.trim() === example.answer ? 1 : 0) },

  policies: { gold: ({ example }) => example.answer },
});
