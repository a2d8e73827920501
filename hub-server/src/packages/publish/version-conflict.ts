import type { Database } from "../../platform/database/connect.ts";
import { HubError } from "../../platform/errors/hub-error.ts";

/** Refuses a number that a package has used, also one that was unpublished. */
export async function refuseTaken(
  database: Database,
  {
    packageId,
    name,
    version,
  }: { readonly packageId: number; readonly name: string; readonly version: string },
): Promise<void> {
  const found = await database
    .selectFrom("versions")
    .where("package_id", "=", packageId)
    .where("version", "=", version)
    .select("unpublished_at")
    .executeTakeFirst();
  if (found === undefined) return;
  if (found.unpublished_at !== null)
    throw new HubError("version-unpublished", {
      message: `${name}@${version} was unpublished, and a number is not used twice: some still have the old one. Publish another version.`,
    });
  throw new HubError("version-exists", {
    message: `${name}@${version} is published already, and a version never changes. Raise the version in package.json.`,
  });
}
