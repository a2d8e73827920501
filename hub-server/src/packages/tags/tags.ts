import type { PackageChange } from "../../access/changes/change-package.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";
import { distTag } from "../../platform/names/dist-tag.ts";

/** A change of the dist-tags of a package by one of its users or by the hub. */
export type TagChange = Pick<PackageChange, "database" | "package" | "event" | "touch">;

/** Points a dist-tag at a version, which must be neither yanked nor unpublished. */
export async function setTag(
  change: PackageChange,
  tagText: string,
  version: string,
): Promise<void> {
  const tag = distTag(tagText);
  const { id, hasTag } = await requireTaggableVersion(change, tag, version);
  if (!hasTag) await pointTag(change, tag, { id, version });
}

/** Removes a dist-tag, except `latest`, which clients need to choose a version. */
export async function removeTag(change: PackageChange, tag: string): Promise<void> {
  const { name } = change.package;
  if (tag === "latest")
    throw new HubError("tag-latest", {
      message: `The dist-tag latest of ${name} cannot be removed. Move it to another version: npm dist-tag add ${name}@<version> latest`,
    });
  if (!(await deleteTag(change, tag)))
    throw notFound(`The dist-tag ${JSON.stringify(tag.slice(0, 250))} of ${name}`);
}

/** Like {@link setTag}, without checks. */
export async function pointTag(
  { database, package: package_, event, touch }: TagChange,
  tag: string,
  { id, version }: { readonly id: number; readonly version: string },
): Promise<void> {
  await database
    .insertInto("dist_tags")
    .values({ package_id: package_.id, tag, version_id: id })
    .onConflict((conflict) =>
      conflict.columns(["package_id", "tag"]).doUpdateSet({ version_id: id }),
    )
    .execute();
  event({ type: "tag.set", subject: package_.name, detail: { tag, version } });
  touch();
}

/** Like {@link removeTag}, without checks. Returns whether the tag existed. */
export async function deleteTag(
  { database, package: { id, name }, event, touch }: TagChange,
  tag: string,
): Promise<boolean> {
  const row = await database
    .deleteFrom("dist_tags")
    .where("package_id", "=", id)
    .where("tag", "=", tag)
    .returning("tag")
    .executeTakeFirst();
  if (row === undefined) return false;
  event({ type: "tag.removed", subject: name, detail: { tag } });
  touch();
  return true;
}

async function requireTaggableVersion(
  { database, package: { id, name } }: PackageChange,
  tag: string,
  version: string,
): Promise<{ readonly id: number; readonly hasTag: boolean }> {
  const row = await database
    .selectFrom("versions")
    .leftJoin("dist_tags", (join) =>
      join
        .onRef("dist_tags.version_id", "=", "versions.id")
        .on("dist_tags.tag", "=", tag)
        .on("dist_tags.package_id", "=", id),
    )
    .where("versions.package_id", "=", id)
    .where("versions.version", "=", version)
    .where("versions.unpublished_at", "is", null)
    .select(["versions.id", "versions.yanked_at", "dist_tags.tag"])
    .executeTakeFirst();
  const spec = `${name}@${version.slice(0, 250)}`;
  if (row === undefined)
    throw new HubError("version-not-found", {
      message: `${tag} cannot point to ${spec}, because this version is not on this hub. List the versions: npm view ${name} versions`,
    });
  if (row.yanked_at !== null)
    throw new HubError("version-yanked", {
      message: `${tag} cannot point to ${spec}, because this version is yanked. Choose another version, or restore it: envs hub yank ${spec} --undo`,
    });
  return { id: row.id, hasTag: row.tag !== null };
}
