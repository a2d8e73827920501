import { clean, cleanJson, FailureError, UsageError } from "@envs/cli/kit";
import { type Advisory, isHubRequestError } from "@envs/hub-client";

import type { Connection } from "../connection/connect.ts";
import { yankedNotice } from "./find-package.ts";
import { type PublishedPackage, readPublishedPackage } from "./published-package.ts";

/** A version of a package. */
export interface PackageVersion {
  readonly name: string;
  readonly version: string;
}

/** A version with the hub's warnings. */
export interface VersionWarnings extends PackageVersion {
  readonly warnings: readonly string[];
}

/** Reads the hub's warnings for versions. Omits the versions that the hub does not have or the user may not read. */
export async function readVersionWarnings(
  connection: Connection,
  versions: readonly PackageVersion[],
): Promise<readonly VersionWarnings[]> {
  const results = await Promise.all(
    versions.map(async ({ name, version }) => {
      const published = await readIfAvailable(connection, `${name}@${version}`);
      if (published === undefined) return [];
      return [{ name, version, warnings: warningsOf(cleanJson(published)) }];
    }),
  );
  return results.flat();
}

/** Formats each warning as a line with its package and version. */
export function warningLines(versions: readonly VersionWarnings[]): readonly string[] {
  return versions.flatMap(({ name, version, warnings }) =>
    warnings.map((warning) => `${clean(name)} ${clean(version)} · ${warning}`),
  );
}

/** Lists the reasons not to use a version: deprecated, yanked, archived, advisories. */
export function warningsOf({
  package: { isArchived },
  version: { deprecated, isYanked },
  advisories,
}: PublishedPackage): readonly string[] {
  return [
    ...(deprecated === null ? [] : [`deprecated: ${deprecated}`]),
    ...(isYanked ? [`yanked: ${yankedNotice}`] : []),
    ...(isArchived ? ["archived: you can install it, but it receives no updates"] : []),
    ...advisories.map(advisoryWarning),
  ];
}

function advisoryWarning({
  severity,
  title,
  vulnerableVersions,
  patchedVersions,
}: Advisory): string {
  const fix = patchedVersions === null ? "" : `, fixed in ${patchedVersions}`;
  return `${severity}: ${title} (${vulnerableVersions}${fix})`;
}

async function readIfAvailable(
  connection: Connection,
  spec: string,
): Promise<PublishedPackage | undefined> {
  try {
    return await readPublishedPackage(connection, spec);
  } catch (error) {
    const isMissing = error instanceof FailureError || error instanceof UsageError;
    if (isHubRequestError(error) || isMissing) return undefined;
    throw error;
  }
}
