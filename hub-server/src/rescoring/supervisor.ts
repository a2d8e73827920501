import type { FastifyInstance } from "fastify";

import type { Hub } from "../platform/hub/hub.ts";
import { claimJob, releaseJob, type ReplayJob } from "./job-queue.ts";
import { addUsedTime } from "./replay-usage.ts";
import { runJob } from "./run-job.ts";

const pollMs = 2000;
/** The extra time of a lease beyond the limits of a replay: a hub that exceeds it has stopped. */
const leaseMarginMs = 60_000;

/**
 * Takes jobs from the queue while the hub runs, several at a time, and replays each in a separate process. The database is the
 * queue, so several hubs share it, and the job of a hub that crashes runs again. One owner's jobs leave at least one worker to
 * others, if there are several workers.
 */
export function superviseReplays(app: FastifyInstance, hub: Hub): void {
  const { settings, database } = hub;
  const { HUB_REPLAY_SECONDS: seconds, HUB_REPLAY_WORKERS: workers } = settings;
  if (seconds === 0) return;
  const closing = new AbortController();
  const { signal } = closing;
  const limits = { total: seconds * 1000, group: Math.min(30, seconds / 2) * 1000, signal };
  const claim = {
    // Each run is replayed twice.
    leaseMs: 2 * limits.total + leaseMarginMs,
    maxRunning: Math.max(1, workers - 1),
    budgetMs: settings.HUB_REPLAY_OWNER_SECONDS * 1000,
  };
  const running = new Set<Promise<void>>();

  const run = async (job: ReplayJob): Promise<void> => {
    const start = performance.now();
    try {
      await runJob(hub, job, limits);
    } catch (error) {
      // After a failure to store the result, the lease expires and the job runs again.
      if (signal.aborted) await releaseJob(database, job);
      else hub.log.error({ err: error }, "a replay failed");
    }
    const milliseconds = performance.now() - start;
    await addUsedTime(database, job.owner_id, { milliseconds, now: hub.clock() });
  };
  const takeJobs = async (): Promise<void> => {
    while (!signal.aborted && running.size < workers) {
      const job = await claimJob(database, { ...claim, now: hub.clock() });
      if (job === undefined) return;
      const replay = run(job)
        .catch((error: unknown) => hub.log.error({ err: error }, "a replay failed"))
        .finally(() => {
          running.delete(replay);
          poll();
        });
      running.add(replay);
    }
  };
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;
  const poll = (): void => {
    clearTimeout(timer);
    polling ??= takeJobs()
      .catch((error: unknown) => {
        if (!signal.aborted) hub.log.error({ err: error }, "the queue of replays failed");
      })
      .finally(() => {
        polling = undefined;
        if (!signal.aborted) schedule();
      });
  };
  const schedule = (): void => {
    clearTimeout(timer);
    timer = setTimeout(poll, pollMs);
    timer.unref();
  };

  app.addHook("onReady", async () => schedule());
  app.addHook("onClose", async () => {
    closing.abort();
    clearTimeout(timer);
    await polling;
    await Promise.all(running);
  });
}
