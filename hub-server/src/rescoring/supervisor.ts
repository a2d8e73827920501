import type { FastifyInstance } from "fastify";

import type { Hub } from "../platform/hub/hub.ts";
import { claimJob, releaseJob, type ReplayJob, restrictedJobs } from "./job-queue.ts";
import { addUsage, type Queue } from "./replay-usage.ts";
import { runJob } from "./run-job.ts";

const pollMs = 2000;
/** The extra time of a lease beyond the limits of a replay: a hub that exceeds it has stopped. */
const leaseMarginMs = 60_000;

/** The jobs of a queue: how to run them, and their limits. */
export interface SupervisedQueue {
  readonly queue: Queue;
  /** The maximum number of jobs at once in this process. */
  readonly workers: number;
  readonly leaseMs: number;
  /** The milliseconds that each owner has a day. */
  readonly budgetMs: number;
  readonly run: (job: ReplayJob, signal: AbortSignal) => Promise<void>;
}

/** Replays runs while the hub runs, each in a separate process. */
export function superviseReplays(app: FastifyInstance, hub: Hub): void {
  const { HUB_REPLAY_SECONDS: seconds, HUB_REPLAY_WORKERS: workers } = hub.settings;
  if (seconds === 0) return;
  const perGroup = Math.max(Math.min(30, seconds / 2), seconds / 20);
  const limits = { total: seconds * 1000, group: perGroup * 1000 };
  superviseQueue(app, hub, {
    queue: "replay",
    workers,
    // Each run is replayed twice.
    leaseMs: 2 * limits.total + leaseMarginMs,
    budgetMs: hub.settings.HUB_REPLAY_OWNER_SECONDS * 1000,
    run: (job, signal) => runJob(hub, job, { ...limits, signal }),
  });
}

/**
 * Takes jobs from a queue while the hub runs, several at a time. The database is the queue, so several hubs share it, and the job
 * of a hub that crashes runs again. One owner's jobs leave at least one worker to others, if there are several workers.
 */
export function superviseQueue(
  app: FastifyInstance,
  hub: Hub,
  { queue, workers, leaseMs, budgetMs, run: work }: SupervisedQueue,
): void {
  const { database } = hub;
  const closing = new AbortController();
  const { signal } = closing;
  const claim = { queue, leaseMs, budgetMs, maxRunning: Math.max(1, workers - 1) };
  const running = new Map<ReplayJob["id"], { promise: Promise<void>; stop: AbortController }>();

  const run = async (job: ReplayJob, stop: AbortSignal): Promise<void> => {
    const start = performance.now();
    try {
      await work(job, AbortSignal.any([signal, stop]));
    } catch (error) {
      // After a failure to store the result, the lease expires and the job runs again.
      if (signal.aborted || stop.aborted) await releaseJob(database, job);
      else hub.log.error({ err: error }, `a ${queue} failed`);
    }
    const milliseconds = performance.now() - start;
    await addUsage(database, job.owner_id, { queue, milliseconds, now: hub.clock() });
  };
  const takeJobs = async (): Promise<void> => {
    for (const id of await restrictedJobs(database, [...running.keys()]))
      running.get(id)?.stop.abort();
    while (!signal.aborted && running.size < workers) {
      const job = await claimJob(database, { ...claim, now: hub.clock() });
      if (job === undefined) return;
      const stop = new AbortController();
      const promise = run(job, stop.signal)
        .catch((error: unknown) => hub.log.error({ err: error }, `a ${queue} failed`))
        .finally(() => {
          running.delete(job.id);
          poll();
        });
      running.set(job.id, { promise, stop });
    }
  };
  let timer: NodeJS.Timeout | undefined;
  let polling: Promise<void> | undefined;
  const poll = (): void => {
    clearTimeout(timer);
    polling ??= takeJobs()
      .catch((error: unknown) => {
        if (!signal.aborted) hub.log.error({ err: error }, `the queue of ${queue}s failed`);
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
    await Promise.all([...running.values()].map(({ promise }) => promise));
  });
}
