import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createReadStream, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

import { testNetwork } from "@envs/hub-server/testing/network";
import { startPostgres } from "@envs/hub-server/testing/postgres-server";
import { findRuns } from "@envs/records/node";

import type { Figure } from "../figure.ts";
import { median } from "../rounds.ts";
import { sampleMemory } from "./resident-memory.ts";

const bin = join(import.meta.dirname, "../../../packages/cli/src/bin.ts");
const environment = join(import.meta.dirname, "pace.ts");
const rollouts = Number(process.env["ENVS_BENCH_ROLLOUTS"] ?? 100_000);
const workers = 4;

/** A command, its output and the memory that it used. */
interface Running {
  readonly child: ChildProcess;
  readonly memory: readonly number[];
  readonly stdout: Promise<string>;
}

function start(args: readonly string[]): Running {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const memory = sampleMemory(child.pid!);
  let text = "";
  child.stdout.on("data", (bytes: Buffer) => (text += bytes.toString()));
  const stdout = once(child, "close").then(() => (memory.stop(), text));
  return { child, memory: memory.values, stdout };
}

async function kill({ child, stdout }: Running): Promise<void> {
  child.kill("SIGKILL");
  await stdout;
}

/**
 * Plays instant rollouts in one process, then with four workers and a coordinator while two workers, the coordinator and PostgreSQL
 * are killed and a worker is cut off, and compares the rows, the summaries, the time and the memory.
 */
export async function queueFaults(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "envs-bench-faults-"));
  const server = await startPostgres();
  const network = await testNetwork(server.url);
  const played: Running[] = [];
  const run = (args: readonly string[]): Running => {
    const running = start(args);
    played.push(running);
    return running;
  };
  const worker = (url = server.url): Running =>
    run(["queue", "worker", "--queue", url, "-c", "32", "--quiet"]);
  const counts = ["-n", String(rollouts / 8), "-r", "8", "--json", "--quiet"];
  const evaluation = ["eval", environment, "-m", "policy:instant", ...counts];
  const [alone, queued] = [join(folder, "alone"), join(folder, "queued")];
  try {
    const before = performance.now();
    const one = run([...evaluation, "--save", alone]);
    const oneSummary = await one.stdout;
    const oneSeconds = (performance.now() - before) / 1000;
    const size = await resultsSize(alone);

    const cut = worker(network.url);
    const team = [cut, ...Array.from({ length: workers - 1 }, () => worker())];
    const begin = performance.now();
    const first = run([...evaluation, "--save", queued, "--queue", server.url]);
    const reach = async (share: number): Promise<void> => {
      while ((await resultsSize(queued)) < share * size) await sleep(100);
    };
    const replace = async (index: number): Promise<void> => {
      await kill(team[index]!);
      team[index] = worker();
    };
    await reach(0.15);
    await replace(1);
    await reach(0.3);
    await kill(first);
    const resumed = run([
      "eval",
      "--resume",
      "--json",
      "--quiet",
      "--save",
      queued,
      "--queue",
      server.url,
    ]);
    await reach(0.45);
    await server.kill();
    await sleep(2000);
    await server.restart();
    await reach(0.6);
    network.hang();
    await reach(0.75);
    await replace(2);
    // Cuts the worker off for longer than the heartbeats of its leases.
    await sleep(Math.max(0, 20_000 - (performance.now() - begin)));
    network.restore();
    const summary = await resumed.stdout;
    const seconds = (performance.now() - begin) / 1000;
    const [expected, actual] = [await rowsOf(alone), await rowsOf(queued)];
    const isSame = ([key, hash]: readonly [string, string]): boolean =>
      actual.hashes.get(key) === hash;
    return [
      count("rollouts", expected.hashes.size, rollouts),
      count(
        "rollouts that were lost",
        [...expected.hashes.keys()].filter((key) => !actual.hashes.has(key)).length,
        0,
      ),
      count("rollouts that were saved twice", actual.lines - actual.hashes.size, 0),
      count(
        "rows that differ from those of one process, but for times",
        [...expected.hashes].filter((row) => !isSame(row)).length,
        0,
      ),
      count("summaries that differ", withoutTime(summary) === withoutTime(oneSummary) ? 0 : 1, 0),
      { name: "one process", value: oneSeconds, unit: "s" },
      { name: "four workers and a coordinator, through all faults", value: seconds, unit: "s" },
      ...memoryOf("one process", one),
      ...memoryOf("coordinator after its resume", resumed),
      ...memoryOf("worker that lived", team[3]!),
      ...memoryOf("worker that was cut off", cut),
    ];
  } finally {
    for (const { child } of played) child.kill("SIGKILL");
    await network[Symbol.asyncDispose]();
    await server.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

function count(name: string, value: number, aim: number): Figure {
  return { name, value, unit: "", aim: { at: aim === 0 ? "most" : "least", value: aim } };
}

/** The most memory that a process used, and how much more in its last quarter than in its second. */
function memoryOf(name: string, { memory }: Running): readonly Figure[] {
  if (memory.length < 8) return [];
  const quarter = Math.floor(memory.length / 4);
  const growth = median(memory.slice(-quarter)) / median(memory.slice(quarter, 2 * quarter));
  return [
    { name: `${name}: most resident memory`, value: Math.max(...memory) / 2 ** 20, unit: "MiB" },
    {
      name: `${name}: memory of the last quarter of its time to the second`,
      value: growth,
      unit: "×",
    },
  ];
}

async function resultsFile(folder: string): Promise<string | undefined> {
  const [path] = await findRuns(folder).catch(() => []);
  return path === undefined ? undefined : join(path, "results.jsonl");
}

async function resultsSize(folder: string): Promise<number> {
  const file = await resultsFile(folder);
  return file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.size ?? 0);
}

/** The hash of each row without its times, by example and index. */
async function rowsOf(
  folder: string,
): Promise<{ readonly hashes: ReadonlyMap<string, string>; readonly lines: number }> {
  const hashes = new Map<string, string>();
  let lines = 0;
  const input = createReadStream((await resultsFile(folder))!);
  for await (const line of createInterface({ input })) {
    lines += 1;
    const row = JSON.parse(line) as { readonly example_id: number; readonly rollout_index: number };
    const text = JSON.stringify(row, (key, value: unknown) =>
      ["timing", "model", "env"].includes(key) ? null : value,
    );
    hashes.set(
      `${row.example_id} ${row.rollout_index}`,
      createHash("sha256").update(text).digest("hex"),
    );
  }
  return { hashes, lines };
}

function withoutTime(summary: string): string {
  const { run: _, time: __, ...rest } = JSON.parse(summary) as Record<string, unknown>;
  return JSON.stringify(rest);
}
