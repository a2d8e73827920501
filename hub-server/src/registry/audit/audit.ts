import semver from "semver";

import type { Identity } from "../../identity/request/identity.ts";
import { findAdvisories, type StoredAdvisory } from "../../packages/advisories/advisories.ts";
import type { Database } from "../../platform/database/connect.ts";

/** An advisory, and which of the versions that were asked about it warns of. */
export interface Finding {
  readonly advisory: StoredAdvisory;
  readonly versions: readonly string[];
}

/** As much as a database must know of a name to look for it. */
const isName = /^\P{Cc}{1,214}$/u;

/** Which advisories warn of these versions of packages. */
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
  const packages = [...versions.keys()].filter((name) => isName.test(name));
  const live = await findAdvisories(database, identity, { packages, excludeWithdrawn: true });
  return live.flatMap((advisory) => {
    const range = new semver.Range(advisory.vulnerable_versions);
    // A prerelease of a version that is warned of is no better than that version.
    const found = [...new Set(versions.get(advisory.package))].filter((version) =>
      semver.satisfies(version, range, { includePrerelease: true }),
    );
    return found.length === 0 ? [] : [{ advisory, versions: found }];
  });
}
