// vpct_1, ported: a picture shows a ball above ramps and three buckets. Into which bucket does it fall?
import { boxedParser, defineEnvironment, imagePart, thinkParser, userMessage } from "@envs/core";
import { huggingFace } from "@envs/data";
import * as z from "zod";

const parser = boxedParser();
const thoughts = thinkParser({ lenient: true });

// #region image
const row = z
  .object({ image: z.object({ bytes: z.instanceof(Uint8Array) }), bucket: z.coerce.string() })
  .transform(({ image: { bytes }, bucket }) => ({
    prompt: [
      userMessage([
        imagePart(bytes),
        {
          type: "text",
          text: `Into which bucket does the ball fall: 1 (left), 2 (middle) or 3 (right)? End with ${parser.format}.`,
        },
      ]),
    ],
    bucket,
  }));
// #endregion

export default defineEnvironment({
  name: "vpct-1",
  description: "Predict from a picture into which of three buckets a ball falls.",
  tags: ["images", "physics"],
  media: { kinds: ["image"] },

  dataset: () => huggingFace("camelCase12/vpct-parquet", { schema: row, split: { eval: "train" } }),

  rubric: {
    correct: ({ reply, example }) => parser.parse(thoughts.parse(reply)) === example.bucket,
  },

  policies: {
    gold: ({ example }) => `It rolls down the ramps. \\boxed{${example.bucket}}`,
    middle: () => "\\boxed{2}",
    all: () => "\\boxed{1, 2, 3}",
  },
});
