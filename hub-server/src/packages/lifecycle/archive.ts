import type { PackageChange } from "../../access/changes/change-package.ts";

/** Puts a package into the archive, where it can be installed and not changed, or takes it out again. */
export async function setArchived(
  { database, found, now, event, touch }: PackageChange,
  isArchived: boolean,
): Promise<void> {
  if ((found.archived_at !== null) === isArchived) return;
  await database
    .updateTable("packages")
    .set({ archived_at: isArchived ? now : null })
    .where("id", "=", found.id)
    .execute();
  const type = isArchived ? "package.archived" : "package.unarchived";
  event({ type, subject: found.name });
  touch();
}
