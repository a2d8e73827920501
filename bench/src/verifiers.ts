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
/** The runs of ours; those of verifiers take minutes. */
const repetitions = 3;
/** The rollouts of verifiers 0.4, whose turns cost the most. */
const fewer = 2000;

/** A program that plays rollouts against a server, so many at once. */
interface Contender {
  readonly name: string;
  readonly play: (url: string, concurrency: number) => Promise<RolloutsCost>;
}

/** Compares 10,000 rollouts over HTTP with those of verifiers in Python, each in a separate process. */
export async function verifiers(): Promise<readonly Figure[]> {
  const contenders = [
    contender("envs", process.execPath, "rollouts-process.ts"),
    contender("verifiers 0.3.1", python("verifiers"), "chatter_verifiers.py", rolloutCount),
    contender("verifiers 0.4.0", python("interception"), "chatter_verifiers_v1.py", fewer),
  ];
  const instant = await compare(contenders, { delayMs: 0, concurrency: 64 });
  const many = await compare(contenders.slice(0, 1), { delayMs: 0, concurrency: 1000 });
  const slow = await compare(contenders, { delayMs: 50, concurrency: 1000 });
  return [
    ...instant.flatMap((costs) => figures("64 at once", costs)),
    ...many.flatMap((costs) => figures("1,000 at once", costs)),
    ...slow.flatMap((costs) => figures("1,000 at once, a model of 50 ms", costs)),
  ];
}

function python(requirements: string): string {
  return virtualEnvironment({
    requirements: join(root, `bench/python/${requirements}.txt`),
    folder: join(root, `node_modules/.cache/bench-${requirements}`),
    isComplete: true,
  });
}

function contender(name: string, program: string, file: string, count?: number): Contender {
  const rest = count === undefined ? [] : [String(count)];
  return {
    name,
    async play(url, concurrency) {
      const path = join(import.meta.dirname, file);
      const { stdout } = await run(program, [path, url, String(concurrency), ...rest]);
      return JSON.parse(stdout.trim().split("\n").at(-1)!) as RolloutsCost;
    },
  };
}

interface Costs {
  readonly name: string;
  readonly costs: readonly RolloutsCost[];
}

/** Plays one after the other against a server that responds after a delay. */
async function compare(
  contenders: readonly Contender[],
  { delayMs, concurrency }: { readonly delayMs: number; readonly concurrency: number },
): Promise<readonly Costs[]> {
  const server = fork(join(import.meta.dirname, "http-server.ts"), [String(delayMs)]);
  const [port] = (await once(server, "message")) as [number];
  const results: Costs[] = [];
  for (const { name, play } of contenders) {
    const costs: RolloutsCost[] = [];
    const runs = name === contenders[0]!.name ? repetitions : 1;
    while (costs.length < runs) costs.push(await play(`http://127.0.0.1:${port}/v1`, concurrency));
    results.push({ name, costs });
  }
  server.kill();
  return results;
}

function figures(label: string, { name, costs }: Costs): readonly Figure[] {
  const figure = (what: string, unit: string, values: readonly number[], best = Math.min) => ({
    name: `${what}, ${label}: ${name}`,
    unit,
    value: best(...values),
    median: median(values),
  });
  return [
    figure(
      "CPU of a turn",
      "µs",
      costs.map(({ cpuOfTurn }) => cpuOfTurn),
    ),
    figure(
      "peak memory",
      "MiB",
      costs.map(({ peak }) => peak),
    ),
    figure(
      "speed",
      "rollouts/s",
      costs.map(({ speed }) => speed),
      Math.max,
    ),
  ];
}
