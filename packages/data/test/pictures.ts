import { defineEnvironment, userMessage } from "@envs/core";
import { imageColumn, parquet } from "@envs/data";
import * as z from "zod";

/** An environment over the file of images that write_files.py writes. */
export const pictures = defineEnvironment({
  name: "pictures",
  media: { kinds: ["image"] },
  // #region dataset
  dataset: () =>
    parquet(new URL("fixtures/datasets.parquet", import.meta.url), {
      schema: z.object({ image: imageColumn, label: z.number() }).transform(({ image, label }) => ({
        prompt: [userMessage([image, { type: "text", text: "Is this a cat? Answer yes or no." }])],
        answer: label === 1 ? "yes" : "no",
      })),
    }),
  // #endregion dataset
  rubric: { right: ({ reply, example }) => (reply === example.answer ? 1 : 0) },
  policies: { gold: ({ example }) => example.answer },
});
