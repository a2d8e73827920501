import type { Advisory } from "@envs/hub-client";

import type { PublishedPackage } from "../packages/published-package.ts";

/** What one should know of a version before one takes it. */
export function warnings({
  package: { isArchived },
  version: { deprecated, isYanked },
  advisories,
}: PublishedPackage): readonly string[] {
  return [
    ...(deprecated === null ? [] : [`deprecated: ${deprecated}`]),
    ...(isYanked
      ? ["yanked: whoever has it in a lockfile still gets it, and nobody else does"]
      : []),
    ...(isArchived ? ["archived: it installs, and does not change any more"] : []),
    ...advisories.map(advisoryLine),
  ];
}

function advisoryLine({ severity, title, vulnerableVersions, patchedVersions }: Advisory): string {
  const mended = patchedVersions === null ? "" : `, mended in ${patchedVersions}`;
  return `${severity}: ${title} (${vulnerableVersions}${mended})`;
}
