import { execFile, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";

import { virtualEnvironment } from "../../tooling/src/virtual-environment.ts";
import type { Figure } from "./figure.ts";
import { rolloutCount, type RolloutsCost } from "./rollouts-process.ts";
import { median } from "./rounds.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const repetitions = 3;

/** Compares 10,000 rollouts over HTTP with those of verifiers in Python, each in a separate process. */
export async function verifiers(): Promise<readonly Figure[]> {
  const python = virtualEnvironment({
    requirements: join(root, "bench/python/verifiers.txt"),
    folder: join(root, "node_modules/.cache/bench-verifiers"),
    isComplete: true,
  });
  const server = fork(join(import.meta.dirname, "http-server.ts"));
  const [port] = (await once(server, "message")) as [number];
  const url = `http://127.0.0.1:${port}/v1`;
  const cost = async (program: string, ...args: readonly string[]): Promise<RolloutsCost> => {
    const { stdout } = await run(program, args);
    return JSON.parse(stdout.trim().split("\n").at(-1)!) as RolloutsCost;
  };
  const script = join(import.meta.dirname, "chatter_verifiers.py");
  const process_ = join(import.meta.dirname, "rollouts-process.ts");
  const ours: RolloutsCost[] = [];
  const theirs: RolloutsCost[] = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    ours.push(await cost(process.execPath, process_, url, "64"));
    theirs.push(await cost(python, script, url, "64", String(rolloutCount)));
  }
  const many = await cost(process.execPath, process_, url, "1000");
  server.kill();
  const figure = (name: string, unit: string, costs: readonly number[]): Figure => ({
    name,
    unit,
    value: Math.min(...costs),
    median: median(costs),
  });
  return [
    figure(
      "CPU of a turn, 64 rollouts at once",
      "µs",
      ours.map(({ cpuOfTurn }) => cpuOfTurn),
    ),
    figure(
      "the same by verifiers 0.3.1",
      "µs",
      theirs.map(({ cpuOfTurn }) => cpuOfTurn),
    ),
    figure(
      "peak memory, 64 rollouts at once",
      "MiB",
      ours.map(({ peak }) => peak),
    ),
    figure(
      "the same by verifiers 0.3.1",
      "MiB",
      theirs.map(({ peak }) => peak),
    ),
    { name: "CPU of a turn, 1,000 at once", value: many.cpuOfTurn, unit: "µs" },
    { name: "peak memory, 1,000 at once", value: many.peak, unit: "MiB" },
  ];
}
