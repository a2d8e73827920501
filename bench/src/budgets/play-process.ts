import { rollouts } from "@envs/core";
import { openai } from "@envs/models";
import { type CoordinatorQueue, openQueue, queuedRollouts, work } from "@envs/queue";

import { chatter, waitingModel } from "../chatter.ts";
import { alternate } from "./alternate.ts";
import { ownCpuMs, ownUse } from "./probe.ts";
import { referenceWork } from "./reference.ts";

/** The cost of one rollout of four turns in this process. */
export interface PlayCost {
  /** Processor time as a multiple of the reference. */
  readonly ratio: number;
  /** Reachable memory after all rollouts, in MiB. */
  readonly heapMiB: number;
}

// Run in another process: node play-process.ts local | http <base URL> | queue <URL>
const [kind, url = ""] = process.argv.slice(2);
const concurrency = 32;
const size = { rolloutsPerExample: 1, concurrency };
const options = { rounds: 150, warmUps: 50 };
// Takes about as long as the work.
const reference = (repetitions: number) => () => ownCpuMs(() => referenceWork(repetitions));
let cost = Number.NaN;
if (kind === "local") {
  const model = waitingModel(0);
  const play = () => check(rollouts(chatter, { ...size, examples: 100, model }));
  cost = await alternate(options, () => ownCpuMs(play), reference(1600));
} else if (kind === "http") {
  const model = openai("model", { baseURL: url });
  const play = () => check(rollouts(chatter, { ...size, examples: 10, model }));
  cost = await alternate(
    options,
    () => ownCpuMs(play),
    () => ownCpuMs(() => postDirectly(40)),
  );
} else {
  await using queue = await openQueue(url);
  const end = new AbortController();
  const prepare = async () => ({
    environment: chatter,
    options: { rolloutsPerExample: 8, model: waitingModel(0) },
    [Symbol.asyncDispose]: async () => {},
  });
  const worker = work(queue, { host: "budgets", concurrency: 64, prepare, signal: end.signal });
  cost = await alternate(
    { rounds: 30, warmUps: 10 },
    () => ownCpuMs(() => playQueued(queue, 128)),
    reference(8000),
  );
  end.abort();
  await worker;
}
process.stdout.write(JSON.stringify({ ratio: cost, heapMiB: ownUse().heapMiB } satisfies PlayCost));

/** Requests to the same server without the engine and the client. */
async function postDirectly(count: number): Promise<void> {
  let left = count;
  const post = async (): Promise<void> => {
    while ((left -= 1) >= 0) {
      const body = JSON.stringify({ messages: [{ role: "user", content: `Hello ${left}.` }] });
      const headers = { "content-type": "application/json" };
      const response = await fetch(`${url}/chat/completions`, { method: "POST", headers, body });
      await response.json();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, post));
}

function playQueued(queue: CoordinatorQueue, count: number): Promise<void> {
  const run = { id: crypto.randomUUID(), plan: "{}" };
  // Several rollouts are one job.
  return check(queuedRollouts(chatter, { queue, run, examples: count / 8, rolloutsPerExample: 8 }));
}

async function check(played: AsyncIterable<{ readonly status: string }>): Promise<void> {
  for await (const { status } of played)
    if (status !== "scored") throw new Error(`A rollout is ${status}.`);
}
