import { sql } from "kysely";

import type { Database, Row } from "../../platform/database/tables.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import { packageChannel } from "../../platform/hub/finish-changes.ts";
import { type Change, change, type Hub } from "../../platform/hub/hub.ts";

/** A run that a transaction has locked, and the name of its package. */
export interface LockedRun {
  readonly run: Row<"runs">;
  readonly packageName: string;
  readonly version: string;
}

/**
 * Changes a run in a transaction that locks it. Afterwards, all replicas drop their cached responses about its package. The
 * package's revision stays, because no document of npm mentions runs.
 */
export async function changeRun<Result>(
  hub: Hub,
  id: string,
  work: (change: Change, locked: LockedRun) => Promise<Result>,
): Promise<Result> {
  const { result, packageName } = await change(hub, async (change) => {
    const locked = await lockRun(change.database, id);
    const result = await work(change, locked);
    await sql`select pg_notify(${packageChannel}, ${locked.packageName})`.execute(change.database);
    return { result, packageName: locked.packageName };
  });
  hub.invalidate(packageName);
  return result;
}

async function lockRun(database: Change["database"], id: string): Promise<LockedRun> {
  const run = await database
    .selectFrom("runs")
    .where("id", "=", id)
    .selectAll()
    .forUpdate()
    .executeTakeFirst();
  if (run === undefined) throw notFound(`The run ${id}`);
  const { name, version } = await database
    .selectFrom("versions")
    .innerJoin("packages", "packages.id", "versions.package_id")
    .where("versions.id", "=", run.version_id)
    .select(["packages.name", "versions.version"])
    .executeTakeFirstOrThrow();
  return { run, packageName: name, version };
}

/** Deletes a run or an upload with its rollouts. The sweep deletes its blobs later. */
export async function deleteRun(hub: Hub, id: string, actor: string | null = null): Promise<void> {
  await changeRun(hub, id, async ({ database, event }, { run, packageName, version }) => {
    await database.deleteFrom("runs").where("id", "=", id).execute();
    if (run.state !== "complete") return;
    event({
      type: "run.deleted",
      actor,
      subject: `${packageName}@${version}`,
      detail: { run: id },
      packageId: run.package_id,
    });
  });
}

/** Queues the rescoring of an evaluation. Runs inside the transaction that completes the run. */
export async function queueRescoring(
  database: Database,
  { id, owner_id }: Pick<Row<"runs">, "id" | "owner_id">,
  now: Date,
): Promise<void> {
  await database
    .insertInto("replay_jobs")
    .values({ kind: "rescore", run_id: id, owner_id, created_at: now })
    .onConflict((conflict) => conflict.column("run_id").doNothing())
    .execute();
}
