// Rollouts through a queue: a coordinator divides a run into groups, and workers play them.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { policy } from "@envs/core";
import { openQueue, queuedRollouts, work } from "@envs/queue";
import tictactoe from "@envs/tictactoe";

const environment = tictactoe();
const size = { rolloutsPerExample: 4, seed: 7 };

// #region queue
// PostgreSQL in a folder of this process. For many machines: openQueue("postgres://envs@db.example.com/envs").
const folder = await mkdtemp(join(tmpdir(), "queue-"));
const queue = await openQueue(folder);
const stop = new AbortController();

// What each machine runs. `prepare` makes a run ready to be played, from its plan.
const worker = work(queue, {
  host: "laptop",
  concurrency: 8,
  prepare: async ({ plan }) => ({
    environment,
    options: { ...size, model: policy(plan) },
    [Symbol.asyncDispose]: async () => {},
  }),
  signal: stop.signal,
});

// What the machine runs that wants the rollouts. Another coordinator with the same id and plan continues the run.
let wins = 0;
const run = { id: crypto.randomUUID(), plan: "optimal" };
for await (const rollout of queuedRollouts(environment, { queue, run, examples: 10, ...size }))
  if (rollout.status === "scored" && rollout.scores["win"] === 1) wins += 1;

stop.abort();
const { rollouts, failures } = await worker;
console.log(`${wins} wins; the worker played ${rollouts} rollouts, ${failures} failed`);
await queue[Symbol.asyncDispose]();
// #endregion
await rm(folder, { recursive: true });
