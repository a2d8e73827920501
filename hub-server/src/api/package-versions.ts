import type { PackageDetail } from "@envs/hub-client";
import { sql } from "kysely";

import type { Database } from "../platform/database/tables.ts";

/** A version in the list of a package. */
export type VersionSummary = PackageDetail["versions"][number];

/** The versions of a package, or only one. Includes yanked versions, but not unpublished ones. */
export async function versionsOf(
  database: Database,
  packageId: number,
  version?: string,
): Promise<readonly (VersionSummary & { readonly id: number })[]> {
  const rows = await selectVersions(database, packageId, version);
  return rows.map(toSummary);
}

type VersionRow = Awaited<ReturnType<typeof selectVersions>>[number];

function toSummary({ published_at, yanked_at, ...row }: VersionRow) {
  return { ...row, publishedAt: published_at.toISOString(), isYanked: yanked_at !== null };
}

async function selectVersions(database: Database, packageId: number, version: string | undefined) {
  return await database
    .selectFrom("versions")
    .leftJoin("accounts", "accounts.id", "versions.published_by")
    .leftJoin("environments", "environments.version_id", "versions.id")
    .where("versions.package_id", "=", packageId)
    .where("versions.unpublished_at", "is", null)
    .$if(version !== undefined, (query) => query.where("versions.version", "=", version ?? ""))
    .select(["versions.id", "versions.version", "versions.size", "versions.integrity"])
    .select(["versions.deprecated", "versions.published_at", "versions.yanked_at"])
    .select(["unpacked_size as unpackedSize", "file_count as fileCount"])
    .select("accounts.name as publishedBy")
    .select(sql<string | null>`environments.manifest ->> 'contentHash'`.as("contentHash"))
    .execute();
}

/** The dist-tags of a package, with the version of each. */
export async function tagsOf(
  database: Database,
  packageId: number,
): Promise<Readonly<Record<string, string>>> {
  const rows = await database
    .selectFrom("dist_tags")
    .innerJoin("versions", "versions.id", "dist_tags.version_id")
    .where("dist_tags.package_id", "=", packageId)
    .where("versions.unpublished_at", "is", null)
    .orderBy("tag")
    .select(["tag", "versions.version"])
    .execute();
  return Object.fromEntries(rows.map(({ tag, version }) => [tag, version]));
}
