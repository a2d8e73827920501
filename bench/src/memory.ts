import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { rollouts } from "@envs/core";

import { chatter, waitingModel } from "./chatter.ts";
import type { Figure } from "./figure.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** Measures the growth of the heap while rollouts are streamed and discarded. */
export async function memory(): Promise<readonly Figure[]> {
  const [warm, last] = [20_000, 100_000];
  let count = 0;
  let before = 0;
  const options = { examples: Infinity, rolloutsPerExample: 1, model: waitingModel(0) };
  let growth = 0;
  for await (const _ of rollouts(chatter, options)) {
    count += 1;
    if (count === warm) before = heap();
    // Before the run ends, because it then frees the keys of its rollouts.
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
  ];
}

function heap(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
