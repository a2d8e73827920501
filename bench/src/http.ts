import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { rollouts } from "@envs/core";
import { openai } from "@envs/models";

import { chatter } from "./chatter.ts";
import type { Figure } from "./figure.ts";

const [count, turns, concurrency] = [2000, 4, 64];

interface Cost {
  readonly wall: number;
  /** Seconds of processor time of this process. */
  readonly cpu: number;
}

async function cost(work: () => Promise<void>): Promise<Cost> {
  const [start, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wall: (performance.now() - start) / 1000, cpu: (user + system) / 1e6 };
}

/** The requests of the same conversations in a plain loop: the minimum for any client. */
async function bareFetch(url: string): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) {
      const messages: { role: string; content: string }[] = [
        { role: "user", content: `Hello ${next}.` },
      ];
      next += 1;
      for (let turn = 0; turn < turns; turn += 1) {
        const response = await fetch(`${url}/chat/completions`, {
          method: "POST",
          headers: { "content-type": "application/json", authorization: "Bearer none" },
          body: JSON.stringify({ model: "model", messages }),
        });
        const { choices } = (await response.json()) as {
          choices: { message: { role: string; content: string } }[];
        };
        messages.push(choices[0]!.message, { role: "user", content: "Go on." });
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function engineOverHttp(url: string): Promise<void> {
  const options = {
    examples: count,
    concurrency,
    rolloutsPerExample: 1,
    model: openai("model", { baseURL: url }),
  };
  for await (const rollout of rollouts(chatter, options))
    if (rollout.status === "failed") throw new Error(rollout.error.message);
}

/** Compares the engine and its `openai` client with a bare fetch loop, alternating; the server is a second process. */
export async function http(): Promise<readonly Figure[]> {
  const server = fork(join(import.meta.dirname, "http-server.ts"));
  const [port] = (await once(server, "message")) as [number];
  const url = `http://127.0.0.1:${port}/v1`;
  const ours: Cost[] = [];
  const bare: Cost[] = [];
  await bareFetch(url);
  await engineOverHttp(url);
  for (let round = 0; round < 4; round += 1) {
    bare.push(await cost(() => bareFetch(url)));
    ours.push(await cost(() => engineOverHttp(url)));
  }
  server.kill();
  const minimum = (costs: readonly Cost[], key: keyof Cost): number =>
    Math.min(...costs.map((cost) => cost[key]));
  const totalTurns = count * turns;
  return [
    {
      name: "turns over HTTP, 64 at once",
      value: totalTurns / minimum(ours, "wall"),
      unit: "turns/s",
    },
    {
      name: "the same by a bare fetch loop",
      value: totalTurns / minimum(bare, "wall"),
      unit: "turns/s",
    },
    {
      name: "time of ours / time of bare fetch",
      value: minimum(ours, "wall") / minimum(bare, "wall"),
      unit: "×",
    },
    { name: "CPU of a turn", value: (minimum(ours, "cpu") / totalTurns) * 1e6, unit: "µs" },
    {
      name: "CPU of a turn by bare fetch",
      value: (minimum(bare, "cpu") / totalTurns) * 1e6,
      unit: "µs",
    },
  ];
}
