import { rollouts } from "@envs/core";
import { openai } from "@envs/models";

import { chatter } from "./chatter.ts";

/** What 10,000 rollouts over HTTP cost this process, which does nothing else. */
export interface RolloutsCost {
  /** Microseconds of processor time. */
  readonly cpuOfTurn: number;
  /** The largest resident memory in MiB. */
  readonly peak: number;
  /** Rollouts per second by the clock. */
  readonly speed: number;
}

export const rolloutCount = 10_000;
const turns = 4;

// Run in a separate process: node rollouts-process.ts <base URL> <concurrency>
if (process.argv[1] === import.meta.filename) {
  const [, , baseURL, concurrency] = process.argv;
  const [start, started] = [process.cpuUsage(), performance.now()];
  const options = {
    examples: rolloutCount,
    rolloutsPerExample: 1,
    concurrency: Number(concurrency),
    model: openai("model", { baseURL }),
  };
  for await (const rollout of rollouts(chatter, options))
    if (rollout.status === "failed") throw new Error(rollout.error.message);
  const { user, system } = process.cpuUsage(start);
  const cost: RolloutsCost = {
    cpuOfTurn: (user + system) / rolloutCount / turns,
    peak: process.resourceUsage().maxRSS / 1024,
    speed: (rolloutCount / (performance.now() - started)) * 1000,
  };
  process.stdout.write(JSON.stringify(cost));
}
