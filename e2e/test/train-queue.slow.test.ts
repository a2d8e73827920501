import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { postgresDatabase } from "@envs/hub-server/testing/postgres";
import { findTrainingRuns, readMetrics } from "@envs/trainer/node";
import { expect, test, vi } from "vitest";

import { envs, finished, start, temporaryFolder } from "./support/command-line.ts";

const recipe = join(import.meta.dirname, "fixtures", "tiny-steps.config.ts");
const args = ["train", "tictactoe", "--config", recipe];

async function kill(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

/** The weights and the metrics of the only training in a folder, without times. */
async function resultOf(folder: string, environment = "tictactoe") {
  const [run, ...others] = await findTrainingRuns(folder, environment);
  expect(others).toEqual([]);
  const rows = await readMetrics(join(run!, "metrics.jsonl"));
  return {
    weights: readFileSync(join(run!, "checkpoints", "rl-end.safetensors")).toString("base64"),
    metrics: rows.map(({ phase, step, kind, values }) => {
      const { gamesPerSecond: _, tokensPerSecond: __, ...same } = values;
      return { phase, step, kind, values: same };
    }),
  };
}

test("trains the same weights through a queue as in one process when a worker and the trainer are killed", async () => {
  await using database = await postgresDatabase();
  await using folder = await temporaryFolder();
  const [alone, queued] = [join(folder.path, "alone"), join(folder.path, "queued")];
  const queue = ["--queue", database.url];
  const workers = [1, 2].map(() => start(["queue", "worker", ...queue, "-c", "8"]));
  /** Resolves at a row of the metrics. */
  const reached = (kind: string, step: number): Promise<unknown> =>
    vi.waitUntil(
      async () => {
        const [run = ""] = await findTrainingRuns(queued, "tictactoe");
        const rows = await readMetrics(join(run, "metrics.jsonl")).catch(() => []);
        return rows.some((row) => row.kind === kind && row.step >= step);
      },
      { timeout: 120_000, interval: 5 },
    );
  try {
    const trainer = start([...args, ...queue, "--save", queued]);
    await reached("rl", 1);
    await kill(workers[0]!);
    await reached("rl", 4);
    await kill(trainer);
    // Needs no --queue, because the run has saved its queue.
    const resumed = start(["train", "tictactoe", "--resume", "--save", queued]);
    expect(await finished(resumed)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("Continuing in the queue"),
    });

    const single = await envs([...args, "--quiet", "--save", alone]);
    expect(single.code).toBe(0);
    expect(await resultOf(queued)).toEqual(await resultOf(alone));
    const { stdout } = await envs(["queue", "status", "--json", ...queue]);
    expect(JSON.parse(stdout)).toMatchObject({ runs: [] });
  } finally {
    for (const worker of workers) worker.kill("SIGKILL");
  }
});

test("trains the same weights by self-play through a queue as in one process", async () => {
  await using database = await postgresDatabase();
  await using folder = await temporaryFolder();
  const [alone, queued] = [join(folder.path, "alone"), join(folder.path, "queued")];
  const selfPlay = join(import.meta.dirname, "fixtures", "tiny-self-play.config.ts");
  const game = ["train", "kuhn-poker", "--config", selfPlay, "--quiet", "--save"];
  const worker = start(["queue", "worker", "--queue", database.url, "-c", "8"]);
  try {
    const through = await envs([...game, queued, "--queue", database.url]);
    expect(through.code, through.stderr).toBe(0);
  } finally {
    worker.kill("SIGKILL");
  }
  const single = await envs([...game, alone]);
  expect(single.code, single.stderr).toBe(0);
  expect(await resultOf(queued, "kuhn-poker")).toEqual(await resultOf(alone, "kuhn-poker"));
});
