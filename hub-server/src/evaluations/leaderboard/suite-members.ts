import { contentHash } from "@envs/core/engine";
import type { SuiteEntry, SuiteMember } from "@envs/hub-client";

import { readableBy } from "../../access/permissions/permission-query.ts";
import type { Identity } from "../../identity/request/identity.ts";
import type { Database } from "../../platform/database/tables.ts";

/** A locked evaluation of a version that the visitor may read. Its example set depends on its runs. */
export interface LockedMember {
  readonly packageId: number;
  readonly member: Omit<SuiteMember, "exampleSet">;
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
    const complete = { ...defaultsOf(row.manifest), ...config };
    const { packageId, integrity } = row;
    const configHash = contentHash(complete);
    return {
      packageId,
      member: {
        ...entry,
        package: environment,
        version,
        integrity,
        split,
        config: complete,
        configHash,
      },
    };
  });
}

/** Runs record a config with all defaults; a suite may omit options. */
function defaultsOf(manifest: unknown): Readonly<Record<string, unknown>> {
  const { config } = manifest as { readonly config?: { readonly properties?: unknown } };
  const properties = (config?.properties ?? {}) as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      typeof schema === "object" && schema !== null && "default" in schema
        ? [[name, schema.default]]
        : [],
    ),
  );
}
