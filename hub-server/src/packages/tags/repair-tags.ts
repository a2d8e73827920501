import semver from "semver";

import { deleteTag, pointTag, type TagChange } from "./tags.ts";

interface InstallableVersion {
  readonly id: number;
  readonly version: string;
}

/**
 * Repairs the dist-tags after versions were yanked, restored or unpublished. Deletes dangling tags, and moves `latest` to
 * the highest stable version, or to the highest prerelease if no stable version is left.
 */
export async function repairTags(change: TagChange): Promise<void> {
  const {
    database,
    package: { id: packageId },
  } = change;
  const versions = await installableVersions(change);
  const ids = new Set(versions.map(({ id }) => id));
  const tags = await database
    .selectFrom("dist_tags")
    .where("package_id", "=", packageId)
    .select(["tag", "version_id"])
    .orderBy("tag")
    .execute();
  const highest = highestVersion(versions);
  for (const { tag, version_id } of tags)
    if (!ids.has(version_id) && (tag !== "latest" || highest === undefined))
      await deleteTag(change, tag);
  const latest = tags.find(({ tag }) => tag === "latest");
  if (highest === undefined || (latest !== undefined && ids.has(latest.version_id))) return;
  await pointTag(change, "latest", highest);
}

/** The versions that are neither yanked nor unpublished. */
async function installableVersions({
  database,
  package: { id },
}: TagChange): Promise<readonly InstallableVersion[]> {
  return await database
    .selectFrom("versions")
    .where("package_id", "=", id)
    .where("yanked_at", "is", null)
    .where("unpublished_at", "is", null)
    .select(["id", "version"])
    .execute();
}

function highestVersion(versions: readonly InstallableVersion[]): InstallableVersion | undefined {
  const stable = versions.filter(({ version }) => semver.prerelease(version) === null);
  const candidates = stable.length > 0 ? stable : versions;
  return candidates.toSorted((a, b) => semver.rcompare(a.version, b.version))[0];
}
