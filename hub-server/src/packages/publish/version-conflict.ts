import { sql } from "kysely";

import type { Database } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";

interface VersionCandidate {
  /** Undefined while the package does not exist. */
  readonly packageId: number | undefined;
  readonly name: string;
  readonly version: string;
  /** A staged version that does not conflict, because it is the one to publish. */
  readonly stageId?: string | undefined;
}

/** Rejects a version number that the package has used or staged, also if that version was unpublished. */
export async function rejectVersionConflict(
  database: Database,
  { packageId, name, version, stageId }: VersionCandidate,
): Promise<void> {
  const { rows } = await sql<{ isUnpublished: boolean | null; isStaged: boolean }>`
    select
      (
        select unpublished_at is not null from versions
        where package_id = ${packageId ?? 0} and version = ${version}
      ) as "isUnpublished",
      exists (
        select from staged_versions
        where name = ${name} and version = ${version} and id is distinct from ${stageId ?? null}::uuid
      ) as "isStaged"`.execute(database);
  const [{ isUnpublished, isStaged } = { isUnpublished: null, isStaged: false }] = rows;
  if (isUnpublished === true)
    throw new HubError("version-unpublished", {
      message: `${name}@${version} was unpublished. A version number is not reused, because clients may still have the old tarball. Publish another version.`,
    });
  if (isUnpublished === false)
    throw new HubError("version-exists", {
      message: `${name}@${version} is already published, and published versions never change. Raise the version in package.json.`,
    });
  if (isStaged) throw versionStaged(name, version);
}

export function versionStaged(name: string, version: string): HubError {
  return new HubError("version-staged", {
    message: `${name}@${version} is already staged. Approve or reject it (npm stage list ${name}), or choose another version.`,
  });
}
