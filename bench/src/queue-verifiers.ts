import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";

import { startPostgres } from "@envs/hub-server/testing/postgres-server";

import { virtualEnvironment } from "../../tooling/src/virtual-environment.ts";
import type { Figure } from "./figure.ts";
import { evaluate, withWorkers } from "./queue/processes.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const environment = join(import.meta.dirname, "chatter.ts");
const script = join(import.meta.dirname, "queue/chatter_pool.py");

/** Rollouts that a worker plays at once, in both. */
const concurrency = 64;
/** Rollouts for each worker: more of ours, so that both are measured for several seconds. */
const ourRollouts = 1280;
const theirRollouts = 320;
const delays = [50, 0];

/** Rollouts per second of 1, 2 and 4 workers, against verifiers' pool of workers, on one machine with the same model servers. */
export async function queueVerifiers(): Promise<readonly Figure[]> {
  const python = virtualEnvironment({
    requirements: join(root, "bench/python/verifiers.txt"),
    folder: join(root, "node_modules/.cache/bench-verifiers"),
    isComplete: true,
  });
  const postgres = await startPostgres();
  const servers = delays.map((delay) =>
    fork(join(import.meta.dirname, "http-server.ts"), [String(delay)]),
  );
  try {
    const urls: string[] = [];
    for (const server of servers) {
      const [port] = (await once(server, "message")) as [number];
      urls.push(`http://127.0.0.1:${port}/v1`);
    }
    const figures: Figure[] = [];
    for (const workers of [1, 2, 4]) {
      const ours = await ourRates(postgres.url, urls, workers);
      const theirs = await theirRates(python, urls, workers);
      for (const [index, delay] of delays.entries()) {
        const model = delay === 0 ? "an instant model" : `a model of ${delay} ms`;
        const name = `${workers} worker${workers === 1 ? "" : "s"}, ${model}`;
        figures.push(
          { name: `${name}: ours`, value: ours[index]!, unit: "/s" },
          { name: `${name}: verifiers 0.3.1`, value: theirs[index]!, unit: "/s" },
          { name: `${name}: ours / verifiers`, value: ours[index]! / theirs[index]!, unit: "×" },
        );
      }
    }
    return figures;
  } finally {
    for (const server of servers) server.kill();
    await postgres.close();
  }
}

/** For each server, measures a second run of the same workers: in the first one, they load their code and connect. */
async function ourRates(queue: string, urls: readonly string[], workers: number) {
  return await withWorkers(queue, { count: workers, atOnce: concurrency }, async () => {
    const rollouts = workers * ourRollouts;
    const rates: number[] = [];
    for (const url of urls) {
      const args = ["-m", "model", "--base-url", url, "--queue", queue];
      await evaluate(environment, workers * concurrency, args);
      rates.push(rollouts / (await evaluate(environment, rollouts, args)));
    }
    return rates;
  });
}

/** The same of verifiers. */
async function theirRates(python: string, urls: readonly string[], workers: number) {
  const rollouts = workers * theirRollouts;
  const args = [script, ...[workers, concurrency, rollouts].map(String), ...urls];
  const { stdout } = await run(python, args);
  const seconds = JSON.parse(stdout.trim().split("\n").at(-1)!) as readonly number[];
  return seconds.map((value) => rollouts / value);
}
