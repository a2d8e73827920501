import type { LeaseKey, WorkerQueue, WorkerReport, WorkerStatus } from "../queue.ts";
import type { Database, Row } from "./database.ts";
import { jobSchema, jobsOf } from "./schema.ts";

/** Publishes the report of a worker, and keeps its leases. */
export async function heartbeat(
  database: Database,
  report: WorkerReport,
  leases: readonly LeaseKey[],
): ReturnType<WorkerQueue["heartbeat"]> {
  await database.query(
    `insert into envs_queue.workers (id, report, held) values ($1, $2, $3::uuid[])
      on conflict (id) do update set report = excluded.report, held = excluded.held, seen_at = now()`,
    [report.id, JSON.stringify(report), leases.map(({ id }) => id)],
  );
  const { ready } = report;
  const open = await database.query(
    `select id from envs_queue.runs where id = any($1::uuid[]) and state = 'open'`,
    [[...ready]],
  );
  const openIds = new Set(open.map(({ id }) => id));
  for (const [runId, held] of Map.groupBy(leases, (lease) => lease.runId)) {
    if (!openIds.has(runId)) continue;
    const attempts = held.map(({ id, attempt }) => ({ id, retryCount: attempt }));
    await database.boss.touch(jobsOf(runId), attempts);
  }
  return { closed: ready.filter((runId) => !openIds.has(runId)) };
}

/** Notes leases that a worker takes between two heartbeats. */
export async function holds(
  database: Database,
  worker: string,
  taken: readonly LeaseKey[],
): Promise<void> {
  await database.query(`update envs_queue.workers set held = held || $2::uuid[] where id = $1`, [
    worker,
    taken.map(({ id }) => id),
  ]);
}

/** The workers that were seen in the last day, newest first. */
export async function workers(database: Database): Promise<readonly WorkerStatus[]> {
  const rows = await database.query(`
    select report, extract(epoch from started_at) * 1000 as started, extract(epoch from seen_at) * 1000 as seen,
      seen_at > now() - interval '15 seconds' as alive, exists (
        select from ${jobSchema}.job where id = any(held) and state in ('created', 'retry', 'active')
      ) as holds
    from envs_queue.workers where seen_at > now() - interval '1 day' order by started_at desc
  `);
  return rows.map(statusOf);
}

function statusOf({ report, started, seen, alive, holds }: Row): WorkerStatus {
  const published = JSON.parse(String(report)) as WorkerReport;
  const times = { startedAt: Number(started), seenAt: Number(seen) };
  return { ...published, ...times, isAlive: alive === true, holdsGroups: holds === true };
}
