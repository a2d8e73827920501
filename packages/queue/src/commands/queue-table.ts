import { basename } from "node:path";

import { clean, formatTable, paint } from "@envs/cli/kit";
import { figure, duration } from "@envs/cli/kit/layout";

import type { RunStatus, WorkerStatus } from "../queue.ts";
import { parsePlan } from "./queued-plan.ts";

/** The data that `envs queue status` shows. */
export interface QueueView {
  readonly runs: readonly RunStatus[];
  readonly workers: readonly WorkerStatus[];
  /** Earlier heartbeats of the workers, for the rates since then. Without one, the rate is since the worker's start. */
  readonly earlier: readonly WorkerStatus[];
}

/** Formats the workers and the open runs of a queue as two tables. */
export function queueTable(view: QueueView): string {
  const { runs, workers } = view;
  const lines = [workersTable(view)];
  const refusals = workers.flatMap(({ host, refused, isAlive }) =>
    isAlive ? refused.map(({ runId, reason }) => ({ host, runId, reason })) : [],
  );
  lines.push("", runs.length === 0 ? paint("dim", "No run is open.") : runsTable(runs));
  for (const { host, runId, reason } of refusals)
    lines.push(paint("yellow", `${clean(host)} cannot play run ${runId}: ${clean(reason)}`));
  return lines.join("\n");
}

function workersTable({ workers, earlier }: QueueView): string {
  if (workers.length === 0)
    return paint("dim", "No worker in the last day. Start one: envs queue worker --queue …");
  const titles = [
    "worker",
    "host",
    "state",
    "running",
    "rollouts",
    "rollouts/s",
    "failed",
    "runs",
    "seen",
  ];
  const rows = workers.map((worker) => [
    worker.id.slice(0, 8),
    clean(worker.host),
    stateOf(worker),
    `${worker.isAlive ? worker.running : 0}/${worker.concurrency}`,
    String(worker.rollouts),
    worker.isAlive ? figure(Number(rateOf(worker, earlier).toFixed(2))) : "",
    worker.failures === 0 ? "0" : paint("red", String(worker.failures)),
    String(worker.ready.length),
    duration(sinceSeen(worker, workers)),
  ]);
  return formatTable([titles.map((title) => paint("dim", title)), ...rows]);
}

/** The operator has to look at a lost worker only until its groups are done. */
function stateOf({ isAlive, holdsGroups }: WorkerStatus): string {
  if (isAlive) return paint("green", "alive");
  return holdsGroups ? paint("red", "lost") : paint("dim", "gone");
}

function runsTable(runs: readonly RunStatus[]): string {
  const titles = [
    "environment",
    "model",
    "waiting",
    "leased",
    "failed",
    "rollouts",
    "lag",
    "age",
    "run",
  ];
  const rows = runs.map(({ id, plan, waiting, leased, failed, arrived, lagMs, ageMs }) => [
    clean(basename(titleOf(plan).environment)),
    clean(titleOf(plan).model),
    String(waiting),
    String(leased),
    failed === 0 ? "0" : paint("red", String(failed)),
    String(arrived),
    waiting === 0 ? "0 s" : duration(lagMs / 1000),
    duration(ageMs / 1000),
    id,
  ]);
  return formatTable([titles.map((title) => paint("dim", title)), ...rows]);
}

/** The environment and the model of a run. This version may not be able to read plans of other versions. */
function titleOf(plan: string): { readonly environment: string; readonly model: string } {
  try {
    const { environment, play } = parsePlan(plan);
    return { environment: environment.reference, model: play.model };
  } catch {
    return { environment: "another version of envs", model: "" };
  }
}

/** The view as JSON: times in seconds since 1970, by the clock of the queue. */
export function queueJson({ runs, workers, earlier }: QueueView): object {
  return {
    workers: workers.map((worker) => ({
      id: worker.id,
      host: worker.host,
      is_alive: worker.isAlive,
      holds_groups: worker.holdsGroups,
      concurrency: worker.concurrency,
      running: worker.running,
      rollouts: worker.rollouts,
      rollouts_per_second: rateOf(worker, earlier),
      failures: worker.failures,
      ready: worker.ready,
      refused: worker.refused.map(({ runId, reason }) => ({ run: runId, reason })),
      started_at: worker.startedAt / 1000,
      seen_at: worker.seenAt / 1000,
    })),
    runs: runs.map(({ id, plan, waiting, leased, failed, arrived, lagMs, ageMs }) => ({
      id,
      ...titleOf(plan),
      waiting,
      leased,
      failed,
      rollouts: arrived,
      lag_seconds: lagMs / 1000,
      age_seconds: ageMs / 1000,
    })),
  };
}

/** Rollouts per second since the heartbeat that the view before showed, else since the worker started. */
function rateOf(worker: WorkerStatus, earlier: readonly WorkerStatus[]): number {
  const last = earlier.find(({ id }) => id === worker.id);
  const from = last ?? { rollouts: 0, seenAt: worker.startedAt };
  const seconds = (worker.seenAt - from.seenAt) / 1000;
  return seconds <= 0 ? 0 : (worker.rollouts - from.rollouts) / seconds;
}

/** Relative to the latest heartbeat of all, because the clock of this machine may differ. */
function sinceSeen({ seenAt }: WorkerStatus, workers: readonly WorkerStatus[]): number {
  return (Math.max(...workers.map((worker) => worker.seenAt)) - seenAt) / 1000;
}
