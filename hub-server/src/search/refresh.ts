import { type Expression, type RawBuilder, sql } from "kysely";
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
  const { stars, versions } = indexed;
  // Keeps the indexed fields of a version, whose content never changes.
  if (
    indexed.entryVersion === indexed.version_id &&
    indexed.isEntryPublic === (indexed.access === "public")
  ) {
    await database
      .updateTable("search_entries")
      .where("package_id", "=", packageId)
      .set({ ...mutableFields(indexed), stars, versions })
      .execute();
    return;
  }
  const { row, suggestions } = searchEntry(indexed);
  await database
    .insertInto("search_entries")
    .values({ ...row, stars, versions, package_id: packageId, downloads: downloadsOf(packageId) })
    .onConflict((conflict) =>
      conflict.column("package_id").doUpdateSet({ ...row, stars, versions }),
    )
    .execute();
  if (row.is_public) await addSuggestions(database, suggestions);
}

/** A version to index, and the package's current entry. */
interface VersionWithEntry extends IndexedVersion {
  readonly stars: number;
  readonly versions: number;
  readonly entryVersion: number | null;
  readonly isEntryPublic: boolean | null;
}

/** The version that `latest` points to, or, if it cannot be installed, the highest that can, as in packuments. */
async function readIndexedVersion(
  database: Database,
  packageId: number,
): Promise<VersionWithEntry | undefined> {
  const tagged = database
    .selectFrom("dist_tags")
    .where("package_id", "=", packageId)
    .where("tag", "=", "latest")
    .select("version_id")
    .$asScalar();
  const version = await readVersion(database, tagged);
  if (version !== undefined) return version;
  const highest = await highestVersion(database, packageId);
  return highest === undefined ? undefined : await readVersion(database, sql`${highest}::bigint`);
}

/** Undefined if the version is yanked or unpublished. */
async function readVersion(
  database: Database,
  id: Expression<number>,
): Promise<VersionWithEntry | undefined> {
  const row = await database
    .selectFrom("versions")
    .innerJoin("packages", "packages.id", "versions.package_id")
    .innerJoin("accounts", "accounts.id", "packages.owner_id")
    .leftJoin("environments", "environments.version_id", "versions.id")
    .leftJoin("search_entries as entry", "entry.package_id", "packages.id")
    .where("versions.id", "=", id)
    .where("versions.yanked_at", "is", null)
    .where("versions.unpublished_at", "is", null)
    .select(["versions.id as version_id", "packages.name", "packages.access"])
    .select(["packages.archived_at", "accounts.name as owner", "versions.published_at"])
    .select(["versions.manifest as packageJson", "versions.readme", "versions.deprecated"])
    .select(["environments.manifest as environment"])
    .select(["entry.version_id as entryVersion", "entry.is_public as isEntryPublic"])
    .select((query) =>
      query
        .selectFrom("stars")
        .whereRef("stars.package_id", "=", "packages.id")
        .select((row) => row.fn.countAll<number>().as("stars"))
        .$asScalar()
        .$notNull()
        .as("stars"),
    )
    .select((query) =>
      query
        .selectFrom("versions as other")
        .whereRef("other.package_id", "=", "packages.id")
        .where("other.unpublished_at", "is", null)
        .select((row) => row.fn.countAll<number>().as("versions"))
        .$asScalar()
        .$notNull()
        .as("versions"),
    )
    .executeTakeFirst();
  if (row === undefined) return undefined;
  return { ...row, environment: (row.environment ?? undefined) as IndexedVersion["environment"] };
}

async function highestVersion(database: Database, packageId: number): Promise<number | undefined> {
  const versions = await database
    .selectFrom("versions")
    .where("package_id", "=", packageId)
    .where("yanked_at", "is", null)
    .where("unpublished_at", "is", null)
    .select(["id", "version"])
    .execute();
  const descending = versions.toSorted((a, b) => semver.rcompare(a.version, b.version));
  const stable = descending.find(({ version }) => semver.prerelease(version) === null);
  return (stable ?? descending[0])?.id;
}

/** Prefers the stored sum, because computing it reads a row for each version and day. */
function downloadsOf(packageId: number): RawBuilder<number> {
  return sql`coalesce(
    (select downloads from search_entries where package_id = ${packageId}),
    (select sum(count) from downloads join versions on versions.id = version_id where package_id = ${packageId}),
    0)`;
}
