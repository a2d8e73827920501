import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { expect, test } from "vitest";

import {
  assistantMessage,
  defineEnvironment,
  evaluate,
  imagePart,
  userMessage,
} from "../src/index.ts";
import { png } from "./media-bytes.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

test("rollouts of one example share the bytes of its image", async () => {
  const size = 1_000_000;
  const bytes = new Uint8Array(size);
  bytes.set(png);
  const environment = defineEnvironment({
    name: "pictures",
    media: { kinds: ["image"] },
    dataset: () => [{ prompt: [userMessage([imagePart(bytes)])] }],
    rubric: { long: ({ reply }) => reply.length },
  });
  const before = heap();
  const { rollouts } = await evaluate(environment(), {
    model: async () => ({ message: assistantMessage("A picture."), finish: "stop" }),
    rolloutsPerExample: 200,
  });
  expect(heap() - before).toBeLessThan(20 * size);
  expect(rollouts[199]).toMatchObject({ status: "scored", prompt: rollouts[0]!.prompt });
});
