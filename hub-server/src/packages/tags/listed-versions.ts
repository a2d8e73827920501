import type { Database } from "../../platform/database/connect.ts";

/** The versions of a package that are there: neither yanked nor unpublished. */
export async function listedVersions(
  database: Database,
  packageId: number,
): Promise<readonly { readonly id: number; readonly version: string }[]> {
  return await database
    .selectFrom("versions")
    .where("package_id", "=", packageId)
    .where("yanked_at", "is", null)
    .where("unpublished_at", "is", null)
    .select(["id", "version"])
    .execute();
}
