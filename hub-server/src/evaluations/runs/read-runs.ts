import type { EnvironmentManifest, Run } from "@envs/hub-client";
import { sql } from "kysely";

import { readableBy } from "../../access/permissions/permission-query.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import { rejectRunTakenDown } from "./taken-down.ts";
import { toRuns } from "./to-runs.ts";

/** Which runs to read. Fields that are undefined do not limit the result. */
interface RunFilter {
  readonly ids?: readonly string[] | undefined;
  readonly packageId?: number | undefined;
  readonly version?: string | undefined;
  readonly kind?: Run["kind"] | undefined;
  readonly configHash?: string | undefined;
  readonly sample?: string | undefined;
  /** A text that the model's name contains. */
  readonly model?: string | undefined;
  /** The name of the user who pushed the runs. */
  readonly owner?: string | undefined;
  /** The package of a model, for the trainings that produced a version of it. */
  readonly modelPackage?: string | undefined;
}

/** A part of a list. */
interface Page {
  readonly from: number;
  readonly limit: number;
}

/** The complete runs that an identity may read: runs of packages that it may read, and of versions that exist. */
export function readableRuns(database: Database, identity: Identity | undefined) {
  return database
    .selectFrom("runs")
    .innerJoin("packages", "packages.id", "runs.package_id")
    .innerJoin("versions", "versions.id", "runs.version_id")
    .innerJoin("accounts", "accounts.id", "runs.owner_id")
    .where("runs.state", "=", "complete")
    .where("versions.unpublished_at", "is", null)
    .where(readableBy(identity));
}

/** Reads runs, the newest first. */
export async function readRuns(
  database: Database,
  identity: Identity | undefined,
  { ids, ...filter }: RunFilter,
  { from, limit }: Page = { from: 0, limit: 1000 },
): Promise<readonly Run[]> {
  if (ids?.length === 0) return [];
  const rows = await filtered(database, identity, { ids, ...filter })
    .orderBy("runs.completed_at", "desc")
    .orderBy("runs.id")
    .offset(from)
    .limit(limit)
    .selectAll("runs")
    .select(["packages.name as package", "versions.version", "versions.integrity"])
    .select("accounts.name as owner")
    .execute();
  return await toRuns(database, rows);
}

/** Counts the runs that {@link readRuns} returns on all pages. */
export async function countRuns(
  database: Database,
  identity: Identity | undefined,
  filter: RunFilter,
): Promise<number> {
  const { count } = await filtered(database, identity, filter)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/** Reads a run. Throws `not-found` also if the identity may not read its package. */
export async function requireRun(
  database: Database,
  identity: Identity | undefined,
  id: string,
): Promise<Run> {
  const [run] = await readRuns(database, identity, { ids: [id] });
  if (run !== undefined) return run;
  await rejectTakenDown(database, identity, id);
  throw notFound(`The run ${id}`);
}

async function rejectTakenDown(
  database: Database,
  identity: Identity | undefined,
  id: string,
): Promise<void> {
  const row = await database
    .selectFrom("runs")
    .innerJoin("packages", "packages.id", "runs.package_id")
    .where("runs.id", "=", id)
    .where("runs.state", "=", "taken-down")
    .where(readableBy(identity))
    .select("runs.id")
    .executeTakeFirst();
  if (row !== undefined) await rejectRunTakenDown(database, id);
}

function filtered(database: Database, identity: Identity | undefined, filter: RunFilter) {
  const { ids, packageId, version, kind, configHash, sample, model, owner, modelPackage } = filter;
  return readableRuns(database, identity)
    .$if(ids !== undefined, (query) => query.where("runs.id", "in", [...(ids ?? [])]))
    .$if(packageId !== undefined, (query) => query.where("runs.package_id", "=", packageId ?? 0))
    .$if(version !== undefined, (query) => query.where("versions.version", "=", version ?? ""))
    .$if(kind !== undefined, (query) => query.where("runs.kind", "=", kind ?? "evaluation"))
    .$if(configHash !== undefined, (query) =>
      query.where("runs.config_hash", "=", configHash ?? ""),
    )
    .$if(sample !== undefined, (query) => query.where("runs.sample", "=", sample ?? ""))
    .$if(model !== undefined, (query) =>
      query.where(sql<boolean>`strpos(lower(runs.model), ${(model ?? "").toLowerCase()}) > 0`),
    )
    .$if(owner !== undefined, (query) => query.where("accounts.name", "=", owner ?? ""))
    .$if(modelPackage !== undefined, (query) =>
      query.where((where) =>
        where.or([
          where("runs.model_package", "=", modelPackage ?? ""),
          sql<boolean>`starts_with(runs.model_package, ${`${modelPackage}@`})`,
        ]),
      ),
    );
}

/** The scores of a version, as its manifest describes them. */
export async function scoresOf(
  database: Database,
  versionId: number,
): Promise<EnvironmentManifest["scores"]> {
  const row = await database
    .selectFrom("environments")
    .where("version_id", "=", versionId)
    .select("manifest")
    .executeTakeFirst();
  // The hub has validated manifests before it stored them.
  return (row?.manifest as EnvironmentManifest | undefined)?.scores ?? [];
}

/** The scores of the version that a run measured. */
export async function describedScores(
  database: Database,
  { id }: Run,
): Promise<EnvironmentManifest["scores"]> {
  const { version_id: versionId } = await database
    .selectFrom("runs")
    .where("id", "=", id)
    .select("version_id")
    .executeTakeFirstOrThrow();
  return await scoresOf(database, versionId);
}
