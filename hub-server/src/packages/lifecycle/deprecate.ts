import type { PackageChange } from "../../access/changes/change-package.ts";

/** Warns whoever installs these versions; an empty message takes the warning back. */
export async function deprecate(
  { database, found, event, touch }: PackageChange,
  messages: ReadonlyMap<string, string>,
): Promise<void> {
  for (const [version, message] of messages) {
    await database
      .updateTable("versions")
      .set({ deprecated: message === "" ? null : message })
      .where("package_id", "=", found.id)
      .where("version", "=", version)
      .execute();
    const subject = `${found.name}@${version}`;
    event(
      message === ""
        ? { type: "version.undeprecated", subject }
        : { type: "version.deprecated", subject, detail: { message } },
    );
  }
  touch();
}
