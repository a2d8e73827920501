import type { FastifyInstance } from "fastify";

import type { Hub } from "../platform/hub/hub.ts";
import { claimJob, releaseJob } from "./job-queue.ts";
import { runJob } from "./run-job.ts";

const pollMs = 2000;
/** The extra time of a lease beyond the limits of a replay: a hub that exceeds it has stopped. */
const leaseMarginMs = 60_000;

/**
 * Takes jobs from the queue while the hub runs, one at a time, and replays each in a separate process. The database is the
 * queue, so several hubs share it, and the job of a hub that crashes runs again.
 */
export function superviseReplays(app: FastifyInstance, hub: Hub): void {
  const { HUB_REPLAY_SECONDS: seconds } = hub.settings;
  if (seconds === 0) return;
  const closing = new AbortController();
  const { signal } = closing;
  const limits = { total: seconds * 1000, group: Math.min(30, seconds / 2) * 1000, signal };
  const leaseMs = limits.total + leaseMarginMs;

  const takeJobs = async (): Promise<void> => {
    while (!signal.aborted) {
      const job = await claimJob(hub.database, { now: hub.clock(), leaseMs });
      if (job === undefined) return;
      try {
        await runJob(hub, job, limits);
      } catch (error) {
        if (signal.aborted) await releaseJob(hub.database, job);
        throw error;
      }
    }
  };
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> = Promise.resolve();
  const poll = async (): Promise<void> => {
    try {
      await takeJobs();
    } catch (error) {
      // After a failure to store the result, the lease expires and the job runs again.
      if (!signal.aborted) hub.log.error({ err: error }, "a replay failed");
    }
    if (!signal.aborted) schedule();
  };
  const schedule = (): void => {
    timer = setTimeout(() => (current = poll()), pollMs);
    timer.unref();
  };

  app.addHook("onReady", async () => schedule());
  app.addHook("onClose", async () => {
    closing.abort();
    clearTimeout(timer);
    await current;
  });
}
