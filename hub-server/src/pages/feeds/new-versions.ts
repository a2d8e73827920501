import { sql } from "kysely";

import type { Database } from "../../platform/database/tables.ts";

/** A version in a feed. */
export interface NewVersion {
  readonly name: string;
  readonly version: string;
  readonly publishedAt: Date;
  readonly owner: string;
  readonly description: string;
}

const maxVersions = 50;

/** Reads the newest versions of public packages, or of one package that the caller has checked read access to. */
export async function newVersions(
  database: Database,
  packageId?: number,
): Promise<readonly NewVersion[]> {
  const rows = await database
    .selectFrom("versions")
    .innerJoin("packages", "packages.id", "versions.package_id")
    .innerJoin("accounts", "accounts.id", "packages.owner_id")
    .leftJoin("environments", "environments.version_id", "versions.id")
    .where("packages.restriction", "is", null)
    .where("versions.unpublished_at", "is", null)
    .where("versions.yanked_at", "is", null)
    .$if(packageId === undefined, (query) => query.where("packages.access", "=", "public"))
    .$if(packageId !== undefined, (query) => query.where("packages.id", "=", packageId ?? 0))
    .orderBy("versions.published_at", "desc")
    .orderBy("versions.id", "desc")
    .limit(maxVersions)
    .select([
      "packages.name",
      "versions.version",
      "versions.published_at",
      "accounts.name as owner",
    ])
    .select(
      sql<string>`coalesce(environments.manifest ->> 'description', versions.manifest ->> 'description', '')`.as(
        "description",
      ),
    )
    .execute();
  return rows.map(({ published_at: publishedAt, ...row }) => Object.assign(row, { publishedAt }));
}
