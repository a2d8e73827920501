import type { PackageChange } from "../../access/changes/change-package.ts";
import { notFound } from "../../platform/errors/hub-error.ts";
import { settleTags } from "../tags/settle-tags.ts";

/** Takes a version off the list of its package, or puts it back. Its tarball is served either way. */
export async function setYanked(
  change: PackageChange,
  { version, isYanked }: { readonly version: string; readonly isYanked: boolean },
): Promise<void> {
  const { database, found, now, event, touch } = change;
  const subject = `${found.name}@${version}`;
  const row = await database
    .selectFrom("versions")
    .where("package_id", "=", found.id)
    .where("version", "=", version)
    .where("unpublished_at", "is", null)
    .select(["id", "yanked_at"])
    .executeTakeFirst();
  if (row === undefined) throw notFound(subject);
  if ((row.yanked_at !== null) === isYanked) return;
  await database
    .updateTable("versions")
    .set({ yanked_at: isYanked ? now : null })
    .where("id", "=", row.id)
    .execute();
  event({ type: isYanked ? "version.yanked" : "version.unyanked", subject });
  touch();
  await settleTags(change);
}
