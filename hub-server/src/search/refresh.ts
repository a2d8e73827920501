import { type RawBuilder, sql } from "kysely";
import semver from "semver";

import type { Database } from "../platform/database/tables.ts";
import { type IndexedVersion, mutableFields, searchEntry } from "./entry.ts";
import { addSuggestions } from "./spelling.ts";

/** Updates the search index for a package. `change` calls it for every package that it modifies. */
export async function refreshSearchEntry(database: Database, packageId: number): Promise<void> {
  const indexed = await readIndexedVersion(database, packageId);
  if (indexed === undefined) {
    await database.deleteFrom("search_entries").where("package_id", "=", packageId).execute();
    return;
  }
  const stars = await starsOf(database, packageId);
  const { numUpdatedRows } = await database
    .updateTable("search_entries")
    .where("package_id", "=", packageId)
    .where("version_id", "=", indexed.version_id)
    .where("is_public", "=", indexed.access === "public")
    .set({ ...mutableFields(indexed), stars })
    .executeTakeFirst();
  // Keeps the indexed fields of a version, whose content never changes.
  if (numUpdatedRows > 0n) return;
  const { row, suggestions } = searchEntry(indexed);
  await database
    .insertInto("search_entries")
    .values({ ...row, stars, package_id: packageId, downloads: downloadsOf(packageId) })
    .onConflict((conflict) => conflict.column("package_id").doUpdateSet({ ...row, stars }))
    .execute();
  if (row.is_public) await addSuggestions(database, suggestions);
}

async function readIndexedVersion(
  database: Database,
  packageId: number,
): Promise<IndexedVersion | undefined> {
  const versionId = await latestVersion(database, packageId);
  if (versionId === undefined) return undefined;
  const row = await database
    .selectFrom("versions")
    .innerJoin("packages", "packages.id", "versions.package_id")
    .innerJoin("accounts", "accounts.id", "packages.owner_id")
    .leftJoin("environments", "environments.version_id", "versions.id")
    .where("versions.id", "=", versionId)
    .select(["packages.name", "packages.access", "packages.archived_at", "accounts.name as owner"])
    .select(["versions.manifest as packageJson", "versions.readme", "versions.published_at"])
    .select(["versions.deprecated", "environments.manifest as environment"])
    .executeTakeFirstOrThrow();
  const environment = (row.environment ?? undefined) as IndexedVersion["environment"];
  return { ...row, version_id: versionId, environment };
}

/** The version that `latest` points to, or, if it cannot be installed, the highest that can, as in packuments. */
async function latestVersion(database: Database, packageId: number): Promise<number | undefined> {
  const installable = database
    .selectFrom("versions")
    .where("versions.yanked_at", "is", null)
    .where("versions.unpublished_at", "is", null);
  const tagged = await installable
    .innerJoin("dist_tags", "dist_tags.version_id", "versions.id")
    .where("dist_tags.package_id", "=", packageId)
    .where("dist_tags.tag", "=", "latest")
    .select("versions.id")
    .executeTakeFirst();
  if (tagged !== undefined) return tagged.id;
  const versions = await installable
    .where("package_id", "=", packageId)
    .select(["id", "version"])
    .execute();
  const descending = versions.toSorted((a, b) => semver.rcompare(a.version, b.version));
  const stable = descending.find(({ version }) => semver.prerelease(version) === null);
  return (stable ?? descending[0])?.id;
}

async function starsOf(database: Database, packageId: number): Promise<number> {
  const { stars } = await database
    .selectFrom("stars")
    .where("package_id", "=", packageId)
    .select((row) => row.fn.countAll<number>().as("stars"))
    .executeTakeFirstOrThrow();
  return stars;
}

/** Prefers the stored sum, because computing it reads a row for each version and day. */
function downloadsOf(packageId: number): RawBuilder<number> {
  return sql`coalesce(
    (select downloads from search_entries where package_id = ${packageId}),
    (select sum(count) from downloads join versions on versions.id = version_id where package_id = ${packageId}),
    0)`;
}
