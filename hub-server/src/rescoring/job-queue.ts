import type { Rescoring } from "@envs/hub-client";
import { sql } from "kysely";

import type { Database, Row } from "../platform/database/tables.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { dayOf, type Queue, usedTime } from "./replay-usage.ts";

/** A job that this hub has leased. */
export type ReplayJob = Pick<
  Row<"replay_jobs">,
  | "id"
  | "kind"
  | "owner_id"
  | "run_id"
  | "from_version_id"
  | "to_version_id"
  | "played_run_id"
  | "declaration_id"
  | "attempts"
>;

/** The maximum number of leases of a job without a result, which it may not have because it crashes its hub. */
const maxAttempts = 3;

/** The limits of one owner. */
export interface OwnerLimits {
  /** The maximum number of an owner's jobs that run at once. */
  readonly maxRunning: number;
  /** The time of the jobs of a queue that an owner has each day. */
  readonly budgetMs: number;
}

/** Which job to lease. */
interface Claim extends OwnerLimits {
  readonly queue: Queue;
  readonly now: Date;
  readonly leaseMs: number;
}

/** Whether moderators have quarantined or taken down the package of a job, whose code then does not run. */
const isRestricted = sql`exists (
  select from packages where restriction is not null and id in (
    select package_id from runs where runs.id in (job.run_id, job.played_run_id)
    union all select package_id from versions where versions.id = job.to_version_id
  )
)`;

/** Of running jobs, those whose package moderators have quarantined or taken down since. */
export async function restrictedJobs(
  database: Database,
  ids: readonly ReplayJob["id"][],
): Promise<ReadonlySet<ReplayJob["id"]>> {
  if (ids.length === 0) return new Set();
  const { rows } = await sql<Pick<ReplayJob, "id">>`
    select id from replay_jobs as job where id in (${sql.join(ids)}) and ${isRestricted}`.execute(
    database,
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Leases a job of a queue that is queued, or whose lease has expired, unless its package is restricted. The owner with the fewest running jobs is first, then the one whose
 * replays took the least time today, so that a slow bundle delays only other jobs of the same user. Replicas that call it at once get
 * different jobs.
 */
export async function claimJob(
  database: Database,
  { queue, now, leaseMs, ...limits }: Claim,
): Promise<ReplayJob | undefined> {
  const { rows } = await sql<ReplayJob>`
    with running as (
      select owner_id, count(*) as jobs from replay_jobs
      where state = 'running' and lease_until >= ${now} and (kind = 'play') = ${queue === "play"}
      group by owner_id
    ),
    used as (
      select owner_id, milliseconds from replay_usage where day = ${dayOf(now)} and queue = ${queue}
    )
    update replay_jobs set
      state = 'running',
      lease_until = ${new Date(now.getTime() + leaseMs)},
      attempts = attempts + 1
    where id = (
      select job.id from replay_jobs as job
      left join running on running.owner_id = job.owner_id
      left join used on used.owner_id = job.owner_id
      where job.state <> 'done'
        and (job.kind = 'play') = ${queue === "play"}
        and (job.lease_until is null or job.lease_until < ${now})
        and coalesce(running.jobs, 0) < ${limits.maxRunning}
        and coalesce(used.milliseconds, 0) < ${limits.budgetMs}
        and not ${isRestricted}
      order by coalesce(running.jobs, 0), coalesce(used.milliseconds, 0), job.created_at, job.id
      limit 1
      for update of job skip locked
    )
    returning id, kind, owner_id, run_id, from_version_id, to_version_id, played_run_id, declaration_id,
      attempts`.execute(database);
  return rows[0];
}

/** Whether earlier leases of a job ended without a result, so often that it should not run again. */
export function isGivenUp({ attempts }: ReplayJob): boolean {
  return attempts > maxAttempts;
}

/** Stores the result of a job. */
export async function finishJob(
  database: Database,
  { id }: Pick<ReplayJob, "id">,
  { result, now }: { readonly result: object; readonly now: Date },
): Promise<void> {
  await database
    .updateTable("replay_jobs")
    .set({
      state: "done",
      lease_until: null,
      finished_at: now,
      result: JSON.stringify(result),
    })
    .where("id", "=", id)
    .execute();
}

/** Returns a job to the queue, because its hub stops. */
export async function releaseJob(database: Database, { id }: Pick<ReplayJob, "id">): Promise<void> {
  await database
    .updateTable("replay_jobs")
    .set((row) => ({
      state: "queued",
      lease_until: null,
      attempts: sql<number>`${row.ref("attempts")} - 1`,
    }))
    .where("id", "=", id)
    .where("state", "=", "running")
    .execute();
}

/** Reads the result of rescoring a run. The caller must have read the run. */
export async function readRescoring(
  { database, clock, settings }: Pick<Hub, "database" | "clock" | "settings">,
  runId: string,
): Promise<Rescoring> {
  const row = await database
    .selectFrom("replay_jobs")
    .where("run_id", "=", runId)
    .select(["result", "owner_id"])
    .executeTakeFirst();
  if (row === undefined)
    return { outcome: "impossible", reason: "The hub rescores only evaluations." };
  if (row.result !== null) return row.result as Rescoring;
  const budget = settings.HUB_REPLAY_OWNER_SECONDS;
  const queue = "replay";
  const milliseconds = await usedTime(database, row.owner_id, { queue, now: clock() });
  if (milliseconds < budget * 1000) return { outcome: "waiting" };
  return {
    outcome: "waiting",
    reason: `The replays of this user took ${Math.round(milliseconds / 1000)} seconds today. Each user has ${budget} seconds a day on this hub, so it continues tomorrow (UTC).`,
  };
}

/** Complete runs with the names that belong to them. It does not check who may read them. */
export function storedRuns(database: Database) {
  return database
    .selectFrom("runs")
    .innerJoin("packages", "packages.id", "runs.package_id")
    .innerJoin("versions", "versions.id", "runs.version_id")
    .innerJoin("accounts", "accounts.id", "runs.owner_id")
    .where("runs.state", "=", "complete")
    .selectAll("runs")
    .select(["packages.name as package", "versions.version", "versions.integrity"])
    .select("accounts.name as owner");
}
