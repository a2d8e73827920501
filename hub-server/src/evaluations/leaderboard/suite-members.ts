import { contentHash } from "@envs/core/engine";
import type { EnvironmentManifest, SuiteEntry, SuiteMember } from "@envs/hub-client";

import { readableBy } from "../../access/permissions/permission-query.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";
import { defaultsOf, splitOf } from "../declarations/manifest-defaults.ts";

/** A locked evaluation of a version that the visitor may read. */
export interface LockedMember {
  readonly packageId: number;
  readonly member: SuiteMember;
}

/** The entries of a suite whose versions are on this hub and readable, in the order of the suite. */
export async function lockedMembers(
  database: Database,
  identity: Identity | undefined,
  entries: readonly SuiteEntry[],
): Promise<readonly LockedMember[]> {
  const names = [...new Set(entries.map(({ environment }) => environment))];
  const stored = await database
    .selectFrom("versions")
    .innerJoin("packages", "packages.id", "versions.package_id")
    .innerJoin("environments", "environments.version_id", "versions.id")
    .where((row) => row("packages.name", "=", row.fn.any(row.val(names))))
    .where("versions.unpublished_at", "is", null)
    .where(readableBy(identity))
    .select(["packages.id as packageId", "packages.name", "versions.version"])
    .select(["versions.integrity", "environments.manifest"])
    .execute();
  const byVersion = new Map(stored.map((row) => [`${row.name}@${row.version}`, row]));
  return entries.flatMap(({ environment, version, config, split = null, ...entry }) => {
    const row = byVersion.get(`${environment}@${version}`);
    if (row === undefined) return [];
    const manifest = row.manifest as EnvironmentManifest;
    const complete = { ...defaultsOf(manifest), ...config };
    const { packageId, integrity } = row;
    const configHash = contentHash(complete);
    return {
      packageId,
      member: {
        ...entry,
        package: environment,
        version,
        integrity,
        split: splitOf(manifest, split),
        config: complete,
        configHash,
      },
    };
  });
}
