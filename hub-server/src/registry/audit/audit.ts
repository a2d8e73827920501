import semver from "semver";
import * as z from "zod";

import type { Identity } from "../../identity/request/identity.ts";
import {
  advisoryUrl,
  findAdvisories,
  type StoredAdvisory,
} from "../../packages/advisories/advisories.ts";
import type { Database } from "../../platform/database/tables.ts";

/** The request of npm, pnpm and Yarn 4: versions by package name. */
export const auditRequest = z.record(z.string(), z.array(z.string()));

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
    readonly versions: ReadonlyMap<string, readonly string[]>;
  },
): Promise<readonly StoredAdvisory[]> {
  const packages = [...versions.keys()].filter((name) => queryableName.test(name));
  const live = await findAdvisories(database, identity, { packages, excludeWithdrawn: true });
  return live.filter((advisory) => {
    const range = new semver.Range(advisory.vulnerable_versions);
    // An advisory for a version also affects its prereleases.
    return versions
      .get(advisory.package)
      ?.some((version) => semver.satisfies(version, range, { includePrerelease: true }));
  });
}

/** The response for npm, pnpm and Yarn 4: advisories by package name. */
export function auditResponse(advisories: readonly StoredAdvisory[], origin: string) {
  const response: Record<string, object[]> = {};
  for (const advisory of advisories)
    (response[advisory.package] ??= []).push({
      id: advisory.id,
      url: advisoryUrl(advisory, origin),
      title: advisory.title,
      severity: advisory.severity,
      vulnerable_versions: advisory.vulnerable_versions,
      cwe: advisory.cwe,
      cvss: { score: 0, vectorString: null },
    });
  return response;
}
