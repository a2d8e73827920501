import semver from "semver";

import type { Identity } from "../../identity/request/identity.ts";
import { findAdvisories, type StoredAdvisory } from "../../packages/advisories/advisories.ts";
import type { Database } from "../../platform/database/connect.ts";

/** An advisory, and the queried versions that it affects. */
export interface Finding {
  readonly advisory: StoredAdvisory;
  readonly versions: readonly string[];
}

/** PostgreSQL cannot compare text with NUL characters. */
const queryableName = /^\P{Cc}{1,214}$/u;

/** Finds the advisories that affect these versions of packages, among the packages that the caller can read. */
export async function audit(
  database: Database,
  {
    identity,
    versions,
  }: {
    readonly identity: Identity | undefined;
    readonly versions: ReadonlyMap<string, Iterable<string>>;
  },
): Promise<readonly Finding[]> {
  const packages = [...versions.keys()].filter((name) => queryableName.test(name));
  const live = await findAdvisories(database, identity, { packages, excludeWithdrawn: true });
  return live.flatMap((advisory) => {
    const range = new semver.Range(advisory.vulnerable_versions);
    // An advisory for a version also affects its prereleases.
    const affected = [...new Set(versions.get(advisory.package))].filter((version) =>
      semver.satisfies(version, range, { includePrerelease: true }),
    );
    return affected.length === 0 ? [] : [{ advisory, versions: affected }];
  });
}
