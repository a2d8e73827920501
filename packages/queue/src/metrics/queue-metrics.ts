import { Gauge, Registry } from "prom-client";

import type { CoordinatorQueue } from "../queue.ts";

/** The state of a queue as text for Prometheus, over all of its runs and workers. */
export async function queueMetrics(
  queue: Pick<CoordinatorQueue, "openRuns" | "workers">,
): Promise<{ readonly type: string; readonly text: string }> {
  const register = new Registry();
  const registers = [register];
  const gauge = (name: string, help: string, labelNames: readonly string[] = []): Gauge =>
    new Gauge({ name: `envs_queue_${name}`, help, labelNames: [...labelNames], registers });
  const [runs, workers] = await Promise.all([queue.openRuns(), queue.workers()]);

  const groups = gauge("groups", "Groups of open runs, by state", ["run", "state"]);
  const arrived = gauge("rollouts_arrived", "Rollouts of open runs in the queue's tables", ["run"]);
  const lag = gauge("lag_seconds", "The age of the oldest group that waits", ["run"]);
  for (const { id, waiting, leased, failed, arrived: count, lagMs } of runs) {
    groups.set({ run: id, state: "waiting" }, waiting);
    groups.set({ run: id, state: "leased" }, leased);
    groups.set({ run: id, state: "failed" }, failed);
    arrived.set({ run: id }, count);
    lag.set({ run: id }, lagMs / 1000);
  }

  const alive = workers.filter(({ isAlive }) => isAlive);
  gauge("workers", "Workers whose heartbeats arrive").set(alive.length);
  gauge("workers_lost", "Workers whose heartbeats stopped, and whose groups are not done").set(
    workers.filter(({ isAlive, holdsGroups }) => !isAlive && holdsGroups).length,
  );
  const labels = ["host", "worker"];
  const capacity = gauge("worker_concurrency", "Maximum number of concurrent rollouts", labels);
  const running = gauge("worker_running", "Rollouts that run now", labels);
  const played = gauge("worker_rollouts", "Rollouts since the worker started", labels);
  const failures = gauge("worker_failures", "Failed rollouts since the worker started", labels);
  for (const worker of alive) {
    const label = { host: worker.host, worker: worker.id };
    capacity.set(label, worker.concurrency);
    running.set(label, worker.running);
    played.set(label, worker.rollouts);
    failures.set(label, worker.failures);
  }
  return { type: register.contentType, text: await register.metrics() };
}
