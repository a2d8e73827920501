import type { PackagedFile } from "../../packages/tarball/inspect.ts";
import type { Database } from "../../platform/database/connect.ts";

type HashedFile = Pick<PackagedFile, "path" | "size" | "sha256">;

/** The version that `latest` points to. */
interface LatestVersion {
  readonly version: string;
  readonly blob: string;
  readonly files: readonly HashedFile[];
}

/** The version with the tag `latest`, and its files; undefined if the package does not exist yet. */
export async function latestFiles(
  database: Database,
  packageId: number | null,
): Promise<LatestVersion | undefined> {
  if (packageId === null) return undefined;
  const latest = await database
    .selectFrom("dist_tags")
    .innerJoin("versions", "versions.id", "dist_tags.version_id")
    .where("dist_tags.package_id", "=", packageId)
    .where("tag", "=", "latest")
    .select(["versions.id", "versions.version", "versions.blob"])
    .executeTakeFirst();
  if (latest === undefined) return undefined;
  const files = await database
    .selectFrom("files")
    .where("version_id", "=", latest.id)
    .select(["path", "size", "sha256"])
    .execute();
  return { ...latest, files };
}
