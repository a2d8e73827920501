// A process that plays groups whose workers were lost, one at a time: started by `envs queue worker`.

import { loadConfigFile } from "@envs/cli/kit";
import { messageOf } from "@envs/core/engine";

import type { AloneResult } from "../play-alone.ts";
import { playRun, type ReadyRun } from "../play-run.ts";
import type { Lease, PlayedRow, QueuedRun } from "../queue.ts";
import { watchThread } from "../watch-thread.ts";
import { readyRun } from "./ready-run.ts";
import { WorkerEnvironments } from "./worker-environments.ts";

/** A group to play, and where the worker's endpoints are. */
export interface AloneTask {
  readonly run: QueuedRun;
  readonly lease: Lease;
  readonly configFile: string | undefined;
  readonly concurrency: number;
}

const environments = new WorkerEnvironments();
let latest: { readonly id: string; readonly ready: ReadyRun } | undefined;

/** Usually one run has many suspects in succession, so the latest run stays ready. */
async function readyFor({ run, configFile, concurrency }: AloneTask): Promise<ReadyRun> {
  if (latest?.id === run.id) return latest.ready;
  await latest?.ready[Symbol.asyncDispose]();
  const { endpoints } = await loadConfigFile(configFile);
  const ready = await readyRun(run, { endpoints, environments, concurrency });
  latest = { id: run.id, ready };
  return ready;
}

async function play(task: AloneTask): Promise<readonly PlayedRow[]> {
  const { lease, concurrency } = task;
  let played: readonly PlayedRow[] = [];
  const leases = (async function* () {
    yield lease;
  })();
  await playRun(await readyFor(task), leases, {
    concurrency,
    signal: new AbortController().signal,
    onGroup: (_lease, rows) => (played = rows),
    onRollout: () => {},
  });
  return played;
}

// As long as a worker may be without heartbeats.
watchThread({ stuckMs: 15_000, endsWithParent: true });
process.once("disconnect", () => process.exit());
process.on("message", async (task: AloneTask) => {
  const result: AloneResult = await play(task).then(
    (rows) => ({ rows }),
    (error: unknown) => ({ problem: messageOf(error) }),
  );
  process.send!(result);
});
