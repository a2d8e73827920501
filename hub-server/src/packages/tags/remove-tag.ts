import type { PackageChange } from "../../access/changes/change-package.ts";
import { HubError, notFound } from "../../platform/errors/hub-error.ts";

/** Takes a dist-tag away; `latest` stays, since it is what an install without a version means. */
export async function removeTag(change: PackageChange, tag: string): Promise<void> {
  const { name } = change.found;
  if (tag === "latest")
    throw new HubError("tag-latest", {
      message: `latest cannot be removed from ${name}. Move it to another version: npm dist-tag add ${name}@<version> latest`,
    });
  if (!(await dropTag(change, tag)))
    throw notFound(`The dist-tag ${JSON.stringify(tag.slice(0, 250))} of ${name}`);
}

/** The same without a question; whether there was one. */
export async function dropTag(
  { database, found, event, touch }: PackageChange,
  tag: string,
): Promise<boolean> {
  const dropped = await database
    .deleteFrom("dist_tags")
    .where("package_id", "=", found.id)
    .where("tag", "=", tag)
    .returning("tag")
    .executeTakeFirst();
  if (dropped === undefined) return false;
  event({ type: "tag.removed", subject: found.name, detail: { tag } });
  touch();
  return true;
}
