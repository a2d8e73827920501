import semver from "semver";

import type { PackageChange } from "../../access/changes/change-package.ts";
import { listedVersions } from "./listed-versions.ts";
import { dropTag } from "./remove-tag.ts";
import { pointTag } from "./set-tag.ts";

/**
 * After a version has come or gone: tags of versions that no packument lists are dropped, and `latest` goes to the highest
 * stable version that is left, or to the highest of all.
 */
export async function settleTags(change: PackageChange): Promise<void> {
  const { database, found } = change;
  const listed = await listedVersions(database, found.id);
  const ids = new Set(listed.map(({ id }) => id));
  const tags = await database
    .selectFrom("dist_tags")
    .where("package_id", "=", found.id)
    .select(["tag", "version_id"])
    .orderBy("tag")
    .execute();
  const highest = highestOf(listed);
  for (const { tag, version_id } of tags)
    if (!ids.has(version_id) && (tag !== "latest" || highest === undefined))
      await dropTag(change, tag);
  const latest = tags.find(({ tag }) => tag === "latest");
  if (highest === undefined || (latest !== undefined && ids.has(latest.version_id))) return;
  await pointTag(change, { tag: "latest", version: highest.version, versionId: highest.id });
}

function highestOf<Each extends { readonly version: string }>(
  versions: readonly Each[],
): Each | undefined {
  const stable = versions.filter(({ version }) => semver.prerelease(version) === null);
  const candidates = stable.length > 0 ? stable : versions;
  return candidates.toSorted((a, b) => semver.rcompare(a.version, b.version))[0];
}
