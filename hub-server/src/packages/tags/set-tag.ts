import type { PackageChange } from "../../access/changes/change-package.ts";
import { HubError } from "../../platform/errors/hub-error.ts";
import { distTag } from "../../platform/names/dist-tag.ts";

/** Lets a dist-tag point to a version that a packument lists. */
export async function setTag(
  change: PackageChange,
  { tag: text, version }: { readonly tag: string; readonly version: string },
): Promise<void> {
  const tag = distTag(text);
  const { id, isThere } = await target(change, { tag, version });
  if (!isThere) await pointTag(change, { tag, version, versionId: id });
}

/** The same, of a version that is known to be there. */
export async function pointTag(
  { database, found, event, touch }: PackageChange,
  {
    tag,
    version,
    versionId,
  }: { readonly tag: string; readonly version: string; readonly versionId: number },
): Promise<void> {
  await database
    .insertInto("dist_tags")
    .values({ package_id: found.id, tag, version_id: versionId })
    .onConflict((conflict) =>
      conflict.columns(["package_id", "tag"]).doUpdateSet({ version_id: versionId }),
    )
    .execute();
  event({ type: "tag.set", subject: found.name, detail: { tag, version } });
  touch();
}

async function target(
  { database, found }: PackageChange,
  { tag, version }: { readonly tag: string; readonly version: string },
) {
  const row = await database
    .selectFrom("versions")
    .leftJoin("dist_tags", (join) =>
      join
        .onRef("dist_tags.version_id", "=", "versions.id")
        .on("dist_tags.tag", "=", tag)
        .on("dist_tags.package_id", "=", found.id),
    )
    .where("versions.package_id", "=", found.id)
    .where("versions.version", "=", version)
    .where("versions.unpublished_at", "is", null)
    .select(["versions.id", "versions.yanked_at", "dist_tags.tag"])
    .executeTakeFirst();
  const shown = `${found.name}@${version.slice(0, 250)}`;
  if (row === undefined)
    throw new HubError("version-not-found", {
      message: `${shown} is not on this hub, so ${tag} cannot point to it. Its versions: npm view ${found.name} versions`,
    });
  if (row.yanked_at !== null)
    throw new HubError("version-yanked", {
      message: `${shown} is yanked, so ${tag} cannot point to it. Choose another version.`,
    });
  return { id: row.id, isThere: row.tag !== null };
}
