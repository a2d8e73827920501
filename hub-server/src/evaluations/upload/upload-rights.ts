import type { RunUploadState } from "@envs/hub-client";
import type { FastifyRequest } from "fastify";

import { readableBy, requireTokenScope } from "../../access/permissions/permission-query.ts";
import { type Package, requirePackage } from "../../access/permissions/require-package.ts";
import { type Identity, requireWriter } from "../../identity/request/identity.ts";
import type { Database, Row } from "../../platform/database/tables.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import type { Hub } from "../../platform/hub/hub.ts";
import { rejectRunTakenDown } from "../runs/taken-down.ts";

/** Users may push runs of every package that they may read and that their token's scope includes. */
export async function requirePushRight(
  database: Database,
  identity: Identity,
  name: string,
): Promise<Package> {
  const package_ = await requirePackage(database, { identity, name, permission: "read" });
  await requireTokenScope(database, identity, package_);
  return package_;
}

/** A run that a user uploads, or has uploaded. */
export interface OwnRun {
  readonly identity: Identity;
  readonly run: Row<"runs">;
  readonly package: Package;
}

/**
 * Finds a run of the request's user, complete or not. Throws `not-found` for the runs of other users, and of packages that
 * the user or the token may no longer read.
 */
export async function requireOwnRun(
  hub: Hub,
  request: FastifyRequest,
  id: string,
): Promise<OwnRun> {
  const identity = await requireWriter(hub, request);
  const row = await hub.database
    .selectFrom("runs")
    .innerJoin("packages", "packages.id", "runs.package_id")
    .where("runs.id", "=", id)
    .where("runs.owner_id", "=", identity.userId)
    .where(readableBy(identity))
    .selectAll("runs")
    .select("packages.name as package")
    .executeTakeFirst();
  if (row === undefined) throw notFound(`The run ${id}`);
  const { package: name, ...run } = row;
  if (run.state === "taken-down") await rejectRunTakenDown(hub.database, id);
  return { identity, run, package: await requirePushRight(hub.database, identity, name) };
}

/** The state of an upload, with the parts that the hub still needs. */
export async function uploadStateOf(
  database: Database,
  run: Pick<Row<"runs">, "id" | "state">,
  origin: string,
): Promise<RunUploadState> {
  const missing = await database
    .selectFrom("run_parts")
    .where("run_id", "=", run.id)
    .where("blob", "is", null)
    .orderBy("part")
    .select("part")
    .execute();
  return {
    id: run.id,
    state: run.state === "complete" ? "complete" : "uploading",
    missing: missing.map(({ part }) => part),
    url: `${origin}/run/${run.id}`,
  };
}

const abandonedMs = 24 * 3_600_000;

/** Deletes uploads that have received no part for a day. The sweep of the blobs deletes what they stored. */
export async function sweepUploads({ database, clock }: Pick<Hub, "database" | "clock">) {
  await database
    .deleteFrom("runs")
    .where("id", "in", (query) =>
      query
        .selectFrom("runs")
        .where("state", "=", "uploading")
        .where("updated_at", "<", new Date(clock().getTime() - abandonedMs))
        .select("id")
        // A part that arrives now waits for the storage of its owner, which this deletion changes.
        .forUpdate()
        .skipLocked(),
    )
    .execute();
}
