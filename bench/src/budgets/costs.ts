import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";

import { startPostgres } from "@envs/hub-server/testing/postgres-server";

import { call } from "../gateway/calls.ts";
import { startOurs, startUpstream } from "../gateway/peers.ts";
import { bare, type EchoServer, ours } from "../serve/echo-server.ts";
import { LoadGenerator } from "../serve/load.ts";
import { alternate } from "./alternate.ts";
import { commandCosts } from "./command.ts";
import type { Costs } from "./compare.ts";
import type { PlayCost } from "./play-process.ts";
import { cpuOfTree, heapOfTree, withProbe } from "./process-use.ts";

const run = promisify(execFile);
const idleSessions = 1000;
const calls = 30;

/** Measures one part in separate processes. */
export type Measurement = () => Promise<Costs>;

/** The measurements by name. */
export const measurements: Readonly<Record<string, Measurement>> = {
  rollout: () => playCosts("rollout", ["local"]),
  async http() {
    const server = fork(join(import.meta.dirname, "../http-server.ts"));
    try {
      const [port] = (await once(server, "message")) as [number];
      return await playCosts("rollout over HTTP", ["http", `http://127.0.0.1:${port}/v1`]);
    } finally {
      server.kill();
    }
  },
  async queue() {
    const server = await startPostgres();
    try {
      return await playCosts("queued rollout", ["queue", server.url]);
    } finally {
      await server.close();
    }
  },
  serve: () =>
    withProbe(async (folder) => {
      await using server = await ours.start();
      await using reference = await bare.start();
      using load = new LoadGenerator();
      const play = (target: EchoServer) => () =>
        cpuMs(target.child.pid!, async () => {
          const { problem } = await load.play(target, 64, 20);
          if (problem !== undefined) throw new Error(problem);
        });
      const frame = await alternate({ rounds: 30, warmUps: 8 }, play(server), play(reference));
      const before = await heapOfTree(server.child.pid!, folder);
      await load.hold(server, idleSessions);
      const growth = (await heapOfTree(server.child.pid!, folder)) - before;
      return { "served frame": frame, [`${idleSessions} idle sessions, MiB`]: growth };
    }),
  gateway: () =>
    withProbe(async (folder) => {
      const upstream = await startUpstream(1);
      const gateway = await startOurs(upstream.origin, 1000);
      try {
        let index = 0;
        const callAll = (contender: typeof gateway) => () =>
          cpuMs(contender.pid, async () => {
            const callOne = () => call(contender, { index: (index += 1), isStream: false });
            await Promise.all(Array.from({ length: calls }, callOne));
          });
        const options = { rounds: 70, warmUps: 30 };
        const ratio = await alternate(options, callAll(gateway), callAll(upstream));
        const heap = await heapOfTree(gateway.pid, folder);
        return { "gateway call": ratio, "gateway call: memory after 3,000, MiB": heap };
      } finally {
        gateway.close();
        upstream.close();
      }
    }),
  ...commandCosts,
};

async function playCosts(name: string, args: readonly string[]): Promise<Costs> {
  const script = join(import.meta.dirname, "play-process.ts");
  const { stdout } = await run(process.execPath, [script, ...args]);
  const { ratio, heapMiB } = JSON.parse(stdout) as PlayCost;
  return { [name]: ratio, [`${name}: memory after all, MiB`]: heapMiB };
}

async function cpuMs(pid: number, work: () => Promise<void>): Promise<number> {
  const before = cpuOfTree(pid);
  await work();
  return cpuOfTree(pid) - before;
}
