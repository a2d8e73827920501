// An environment whose prompt has an image, and whose tool returns one. The model of this program reads the pixels.
import { callTools, defineEnvironment, evaluate, imagePart, userMessage } from "@envs/core";
import { describeContent, mediaParts } from "@envs/core/engine";
import { scriptedModel } from "@envs/core/testing";
import { decode, encode } from "fast-png";
import * as z from "zod";

/** Draws gray bars, one pixel wide each. */
function bars(shades: readonly number[]): Uint8Array {
  const data = Uint8Array.from(shades);
  return encode({ width: shades.length, height: 1, data, channels: 1, depth: 8 });
}

// #region environment
const darkest = defineEnvironment({
  name: "darkest",
  media: { kinds: ["image"] },
  *dataset({ random }) {
    for (;;) {
      const shades = random.shuffle([20, 90, 160, 230]);
      const question = { type: "text", text: "Which bar is the darkest, from 1?" } as const;
      yield { prompt: [userMessage([question, imagePart(bars(shades))])], shades };
    }
  },
  tools: {
    zoom: {
      description: "Shows one bar, enlarged",
      input: z.object({ bar: z.int().min(1).max(4) }),
      execute: ({ bar }, { example }) => imagePart(bars(Array(8).fill(example.shades[bar - 1]!))),
    },
  },
  rubric: {
    right: ({ reply, example: { shades } }) =>
      Number(reply) === shades.indexOf(Math.min(...shades)) + 1,
  },
});
// #endregion

const model = scriptedModel(callTools([["zoom", { bar: 1 }]]), ({ messages }) => {
  const [part] = mediaParts(messages[0]!.content);
  if (part?.type !== "image_url") return "I see no image.";
  const { data } = decode(Buffer.from(part.image_url.url.split(",")[1]!, "base64"));
  return String(data.indexOf(Math.min(...data)) + 1);
});

const { rollouts, scores } = await evaluate(darkest(), {
  model,
  examples: 1,
  rolloutsPerExample: 1,
});
console.log(`right ${scores.right.mean}`);
for (const { role, content } of [...rollouts[0]!.prompt, ...rollouts[0]!.completion])
  console.log(`${role}: ${describeContent(content).replaceAll("\n", " ")}`);
