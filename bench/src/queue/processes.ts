import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const bin = join(import.meta.dirname, "../../../packages/cli/src/bin.ts");

/** The rollouts of an example, which are one job of the queue. */
export const rolloutsOfExample = 8;

function start(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [bin, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

/** Plays rollouts with `envs eval`, and returns the seconds in which they were played: without the start of processes. */
export async function evaluate(
  environment: string,
  rollouts: number,
  args: readonly string[],
): Promise<number> {
  const save = await mkdtemp(join(tmpdir(), "envs-bench-queue-"));
  try {
    const counts = ["-n", String(rollouts / rolloutsOfExample), "-r", String(rolloutsOfExample)];
    const child = start([
      "eval",
      environment,
      ...counts,
      "--save",
      save,
      "--json",
      "--quiet",
      ...args,
    ]);
    let text = "";
    child.stdout!.on("data", (bytes: Buffer) => (text += bytes.toString()));
    const [code] = (await once(child, "close")) as [number];
    if (code !== 0) throw new Error(`envs eval failed with exit code ${code}. ${text}`);
    const summary = JSON.parse(text) as {
      readonly time: number;
      readonly counts: { readonly scored: number };
    };
    if (summary.counts.scored !== rollouts) throw new Error(`Unexpected result: ${text}`);
    return summary.time;
  } finally {
    await rm(save, { recursive: true, force: true });
  }
}

/** Runs `count` processes of `envs queue worker` while `work` runs. */
export async function withWorkers<Result>(
  queue: string,
  { count, atOnce }: { readonly count: number; readonly atOnce: number },
  work: () => Promise<Result>,
): Promise<Result> {
  const args = ["queue", "worker", "--queue", queue, "-c", String(atOnce), "--quiet"];
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
