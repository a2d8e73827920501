import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import {
  assistantMessage,
  defineEnvironment,
  evaluate,
  imagePart,
  rollouts,
  userMessage,
} from "@envs/core";

import { chatter, waitingModel } from "./chatter.ts";
import type { Figure } from "./figure.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Measures the growth of the heap while rollouts are streamed and discarded, and while they are kept. */
export async function memory(): Promise<readonly Figure[]> {
  const withImage = await heapWithImage();
  const [warm, last] = [20_000, 100_000];
  let count = 0;
  let before = 0;
  const options = { examples: Infinity, rolloutsPerExample: 1, model: waitingModel(0) };
  let growth = 0;
  for await (const _ of rollouts(chatter, options)) {
    count += 1;
    if (count === warm) before = heap();
    // Measures before the run ends, because its end frees the keys of its rollouts.
    if (count < last) continue;
    growth = (heap() - before) / (last - warm);
    break;
  }
  return [
    {
      name: "heap growth per rollout, 100,000 streamed",
      value: growth,
      unit: "bytes",
      aim: { at: "most", value: 200 },
    },
    {
      name: "heap per rollout, 1,000 kept with the same image of 200 kB",
      value: withImage,
      unit: "bytes",
      aim: { at: "most", value: 5_000 },
    },
  ];
}

/** Keeps rollouts of one example: its messages are copied for each of them, the text of the image is shared. */
async function heapWithImage(): Promise<number> {
  const bytes = new Uint8Array(200_000);
  bytes.set(Buffer.from("\u{89}PNG\r\n\u{1A}\n", "latin1"));
  const pictures = defineEnvironment({
    name: "pictures",
    media: { kinds: ["image"] },
    dataset: () => [{ prompt: [userMessage([imagePart(bytes)])] }],
    rubric: { long: ({ reply }) => reply.length },
  });
  const play = (rolloutsPerExample: number) =>
    evaluate(pictures(), {
      model: async () => ({ message: assistantMessage("A picture."), finish: "stop" }),
      rolloutsPerExample,
    });
  await play(100);
  const before = heap();
  const { rollouts: kept } = await play(1000);
  return (heap() - before) / kept.length;
}

function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
