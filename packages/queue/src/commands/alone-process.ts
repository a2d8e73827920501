// The process of one group, whose worker was lost: started by `envs queue worker`.

import { loadConfigFile } from "@envs/cli/kit";
import { messageOf } from "@envs/core/engine";

import type { AloneResult } from "../play-alone.ts";
import { playRun } from "../play-run.ts";
import type { Lease, PlayedRow, QueuedRun } from "../queue.ts";
import { watchThread } from "../watch-thread.ts";
import { readyRun } from "./ready-run.ts";
import { WorkerEnvironments } from "./worker-environments.ts";

/** The message with which the process starts. */
export interface AloneTask {
  readonly run: QueuedRun;
  readonly lease: Lease;
  readonly configFile: string | undefined;
}

async function play({ run, lease, configFile }: AloneTask): Promise<readonly PlayedRow[]> {
  const { endpoints } = await loadConfigFile(configFile);
  const concurrency = lease.group.rolloutIndices.length;
  const environments = new WorkerEnvironments();
  await using ready = await readyRun(run, { endpoints, environments, concurrency });
  let played: readonly PlayedRow[] = [];
  const leases = (async function* () {
    yield lease;
  })();
  await playRun(ready, leases, {
    concurrency,
    signal: new AbortController().signal,
    onGroup: (_lease, rows) => (played = rows),
    onRollout: () => {},
  });
  return played;
}

// A worker is lost after as long without heartbeats.
watchThread({ stuckMs: 15_000, endsWithParent: true });
process.once("disconnect", () => process.exit());
process.once("message", async (task: AloneTask) => {
  const result: AloneResult = await play(task).then(
    (rows) => ({ rows }),
    (error: unknown) => ({ problem: messageOf(error) }),
  );
  process.send!(result);
});
