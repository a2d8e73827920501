import type { Rescoring } from "@envs/hub-client";
import { sql } from "kysely";

import type { Database, Row } from "../platform/database/tables.ts";

/** A job that this hub has leased. */
export type ReplayJob = Pick<
  Row<"replay_jobs">,
  "id" | "kind" | "run_id" | "from_version_id" | "to_version_id" | "attempts"
>;

/** The maximum number of leases of a job without a result, which it may not have because it crashes its hub. */
const maxAttempts = 3;

/** Leases the oldest job that is queued, or whose lease has expired. Replicas that call it at once get different jobs. */
export async function claimJob(
  database: Database,
  { now, leaseMs }: { readonly now: Date; readonly leaseMs: number },
): Promise<ReplayJob | undefined> {
  return await database
    .updateTable("replay_jobs")
    .set((row) => ({
      state: "running",
      lease_until: new Date(now.getTime() + leaseMs),
      attempts: sql<number>`${row.ref("attempts")} + 1`,
    }))
    .where("id", "=", (builder) =>
      builder
        .selectFrom("replay_jobs")
        .where("state", "<>", "done")
        .where((row) => row.or([row("lease_until", "is", null), row("lease_until", "<", now)]))
        .orderBy("created_at")
        .orderBy("id")
        .limit(1)
        .forUpdate()
        .skipLocked()
        .select("id"),
    )
    .returning(["id", "kind", "run_id", "from_version_id", "to_version_id", "attempts"])
    .executeTakeFirst();
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
export async function readRescoring(database: Database, runId: string): Promise<Rescoring> {
  const row = await database
    .selectFrom("replay_jobs")
    .where("run_id", "=", runId)
    .select("result")
    .executeTakeFirst();
  if (row === undefined)
    return { outcome: "impossible", reason: "The hub rescores only evaluations." };
  return row.result === null ? { outcome: "waiting" } : (row.result as Rescoring);
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
