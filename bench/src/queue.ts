import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startPostgres } from "@envs/hub-testing/postgres-server";

import type { Figure } from "./figure.ts";

const bin = join(import.meta.dirname, "../../packages/cli/dist/bin.js");
const environment = join(import.meta.dirname, "queue/pace.ts");

/** Rollouts that a worker plays at once, so that one worker alone needs little of a core. */
const concurrency = 8;
const policySeconds = 0.05;
const secondsOfPlay = 10;
const instantRollouts = Number(process.env["ENVS_BENCH_ROLLOUTS"] ?? 8000);

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [bin, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Evaluates, and returns the seconds in which the rollouts were played: without the start of processes. */
async function evaluate(args: readonly string[], rollouts: number): Promise<number> {
  const save = await mkdtemp(join(tmpdir(), "envs-bench-queue-"));
  try {
    const counts = ["-n", String(rollouts / 8), "-r", "8", "--save", save, "--json", "--quiet"];
    const child = start(["eval", environment, ...counts, ...args]);
    let text = "";
    child.stdout!.on("data", (bytes: Buffer) => (text += bytes.toString()));
    const [code] = (await once(child, "close")) as [number];
    const summary = JSON.parse(text) as {
      readonly time: number;
      readonly counts: { readonly scored: number };
    };
    if (code !== 0 || summary.counts.scored !== rollouts)
      throw new Error(`Unexpected result: ${text}`);
    return summary.time;
  } finally {
    await rm(save, { recursive: true, force: true });
  }
}

async function withWorkers<Result>(
  queue: string,
  { count, atOnce }: { readonly count: number; readonly atOnce: number },
  work: () => Promise<Result>,
): Promise<Result> {
  const args = ["worker", "--queue", queue, "-c", String(atOnce), "--quiet"];
  const workers = Array.from({ length: count }, () => start(args));
  try {
    return await work();
  } finally {
    for (const worker of workers) {
      worker.kill("SIGTERM");
      await once(worker, "exit");
    }
  }
}

/** Rollouts per second of 1 to 8 workers on one PostgreSQL, and what the queue adds to an instant rollout. */
export async function queue(): Promise<readonly Figure[]> {
  const server = await startPostgres();
  try {
    const figures: Figure[] = [];
    for (const count of [1, 2, 4, 8]) {
      const ideal = (count * concurrency) / policySeconds;
      const rollouts = Math.ceil((ideal * secondsOfPlay) / 8) * 8;
      const args = ["-m", "policy:server", "--queue", server.url];
      const seconds = await withWorkers(server.url, { count, atOnce: concurrency }, () =>
        evaluate(args, rollouts),
      );
      const name = `${count} worker${count === 1 ? "" : "s"} of ${concurrency}: rollouts of a model of 50 ms`;
      figures.push({ name, value: rollouts / seconds, unit: "/s" });
      figures.push({
        name: `${count} worker${count === 1 ? "" : "s"}: share of the ideal`,
        value: rollouts / seconds / ideal,
        unit: "×",
        aim: { at: "least", value: 0.95 },
      });
    }
    const alone = await evaluate(["-m", "policy:instant"], instantRollouts);
    const queued = await withWorkers(server.url, { count: 1, atOnce: 64 }, () =>
      evaluate(["-m", "policy:instant", "--queue", server.url], instantRollouts),
    );
    figures.push({
      name: `the queue's overhead per instant rollout, of ${instantRollouts}`,
      value: ((queued - alone) / instantRollouts) * 1000,
      unit: "ms",
    });
    figures.push({
      name: "one worker: instant rollouts",
      value: instantRollouts / queued,
      unit: "/s",
    });
    return figures;
  } finally {
    await server.close();
  }
}
