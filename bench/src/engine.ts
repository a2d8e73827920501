import { rollouts } from "@envs/core";

import { chatter, waitingModel } from "./chatter.ts";
import { best, type Figure, seconds } from "./figure.ts";

const turns = 4;

async function playAll(examples: number, concurrency: number, delay: number): Promise<void> {
  const options = { examples, concurrency, rolloutsPerExample: 1, model: waitingModel(delay) };
  let count = 0;
  for await (const rollout of rollouts(chatter, options))
    if (rollout.status === "scored") count += 1;
  if (count !== examples) throw new Error(`${count} of ${examples} rollouts were scored.`);
}

/** The same delays without the engine: the limit that the timers of this machine set. */
async function waitAll(count: number, concurrency: number, delay: number): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      for (let turn = 0; turn < turns; turn += 1)
        await new Promise((resolve) => setTimeout(resolve, delay));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

/** Compares the engine with the ideal time of a model with latency, and measures its turns per second. */
export async function engine(): Promise<readonly Figure[]> {
  const [count, concurrency, delay] = [10_000, 1000, 50];
  const ideal = ((count / concurrency) * turns * delay) / 1000;
  const wall = await best(3, () => seconds(() => playAll(count, concurrency, delay)));
  const bare = await best(3, () => seconds(() => waitAll(count, concurrency, delay)));
  await playAll(5000, 32, 0);
  const instant = await best(3, () => seconds(() => playAll(25_000, 32, 0)));
  return [
    {
      name: "10,000 rollouts × 4 turns of 50 ms, 1,000 at once: time / ideal",
      value: wall / ideal,
      unit: "×",
      aim: { at: "most", value: 1.15 },
    },
    { name: "the same without an engine: time / ideal", value: bare / ideal, unit: "×" },
    {
      name: "turns with an instant model, one core",
      value: (25_000 * turns) / instant,
      unit: "turns/s",
      aim: { at: "least", value: 50_000 },
    },
  ];
}
