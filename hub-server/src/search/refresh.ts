import { type Expression, sql } from "kysely";
import semver from "semver";

import type { Database } from "../platform/database/tables.ts";
import { type IndexedVersion, mutableFields, searchEntry } from "./entry.ts";
import { addSuggestions } from "./spelling.ts";

/** Updates the search index for packages. Each change calls it for those that it modifies. */
export async function refreshSearchEntries(
  database: Database,
  packageIds: readonly number[],
): Promise<void> {
  const indexed = await readIndexedVersions(database, packageIds);
  const found = new Set(indexed.map(({ package_id }) => package_id));
  const removed = packageIds.filter((id) => !found.has(id));
  if (removed.length > 0)
    await database.deleteFrom("search_entries").where("package_id", "in", removed).execute();
  const [current, others] = [true, false].map((wanted) =>
    indexed.filter((version) => isCurrent(version) === wanted),
  );
  for (const version of current ?? [])
    await database
      .updateTable("search_entries")
      .where("package_id", "=", version.package_id)
      .set({ ...mutableFields(version), stars: version.stars, versions: version.versions })
      .execute();
  if (others !== undefined && others.length > 0) await writeEntries(database, others);
}

/** Whether the entry has the indexed fields of the version, whose content never changes. */
function isCurrent({ entryVersion, version_id, isEntryPublic, access }: VersionWithEntry): boolean {
  return entryVersion === version_id && isEntryPublic === (access === "public");
}

async function writeEntries(
  database: Database,
  versions: readonly VersionWithEntry[],
): Promise<void> {
  const suggestions = new Set<string>();
  const entries = versions.map((version) => {
    const { package_id, stars, versions: count } = version;
    const { row, suggestions: words } = searchEntry(version);
    if (row.is_public) for (const word of words) suggestions.add(word);
    return { ...row, package_id, stars, versions: count };
  });
  // One text for any number of entries, which PostgreSQL parses once.
  await sql`
    insert into search_entries (${columns}, downloads, words, text)
    select ${columns}, ${downloads}, words, strip(words || to_tsvector('english', "longText"))
    from json_to_recordset(${JSON.stringify(entries)}::json) as entry (${types})
    cross join lateral (
      select setweight(to_tsvector('simple', "nameText"), 'A') || setweight(to_tsvector('english', "nameText"), 'A')
        || setweight(to_tsvector('english', "topicText"), 'B')
        || setweight(to_tsvector('english', "descriptionText"), 'C') as words
    ) as weighted
    on conflict (package_id) do update set ${assignments}
  `.execute(database);
  await addSuggestions(database, [...suggestions]);
}

/** A version to index, and the package's current entry. */
interface VersionWithEntry extends IndexedVersion {
  readonly package_id: number;
  readonly stars: number;
  readonly versions: number;
  readonly entryVersion: number | null;
  readonly isEntryPublic: boolean | null;
}

/** The versions that `latest` points to, or, if one cannot be installed, the highest that can, as in packuments. */
async function readIndexedVersions(
  database: Database,
  packageIds: readonly number[],
): Promise<readonly VersionWithEntry[]> {
  const tagged = database
    .selectFrom("dist_tags")
    .where("package_id", "in", packageIds)
    .where("tag", "=", "latest")
    .select("version_id")
    .$asScalar();
  const versions = await readVersions(database, tagged);
  const found = new Set(versions.map(({ package_id }) => package_id));
  const highest: number[] = [];
  for (const id of packageIds)
    if (!found.has(id)) highest.push(...((await highestVersion(database, id)) ?? []));
  if (highest.length === 0) return versions;
  return [...versions, ...(await readVersions(database, highest))];
}

/** Leaves out versions that are yanked or unpublished, and packages that moderators have quarantined or taken down. */
async function readVersions(
  database: Database,
  ids: readonly number[] | Expression<number>,
): Promise<readonly VersionWithEntry[]> {
  const rows = await database
    .selectFrom("versions")
    .innerJoin("packages", "packages.id", "versions.package_id")
    .innerJoin("accounts", "accounts.id", "packages.owner_id")
    .leftJoin("environments", "environments.version_id", "versions.id")
    .leftJoin("search_entries as entry", "entry.package_id", "packages.id")
    .where("versions.id", "in", ids)
    .where("packages.restriction", "is", null)
    .where("versions.yanked_at", "is", null)
    .where("versions.unpublished_at", "is", null)
    .select(["versions.id as version_id", "versions.package_id"])
    .select(["packages.name", "packages.access"])
    .select(["packages.archived_at", "accounts.name as owner", "versions.published_at"])
    .select(["versions.manifest as packageJson", "versions.readme", "versions.deprecated"])
    .select((row) =>
      row.ref("environments.manifest").$castTo<IndexedVersion["environment"]>().as("environment"),
    )
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
    .execute();
  return rows;
}

async function highestVersion(
  database: Database,
  packageId: number,
): Promise<[number] | undefined> {
  const versions = await database
    .selectFrom("versions")
    .where("package_id", "=", packageId)
    .where("yanked_at", "is", null)
    .where("unpublished_at", "is", null)
    .select(["id", "version"])
    .execute();
  const descending = versions.toSorted((a, b) => semver.rcompare(a.version, b.version));
  const stable = descending.find(({ version }) => semver.prerelease(version) === null);
  const version = stable ?? descending[0];
  return version && [version.id];
}

/** PostgreSQL's types of the columns that an entry gives. */
const columnTypes = {
  package_id: "bigint",
  version_id: "bigint",
  name: "text",
  owner: "text",
  is_public: "boolean",
  is_archived: "boolean",
  is_environment: "boolean",
  deprecated: "text",
  title: "text",
  description: "text",
  kind: "text",
  tags: "text[]",
  keywords: "text[]",
  tools: "text[]",
  scores: "text[]",
  needs: "text[]",
  protocols: "text[]",
  license: "text",
  published_at: "timestamptz",
  stars: "int",
  versions: "int",
};
const textTypes = {
  nameText: "text",
  topicText: "text",
  descriptionText: "text",
  longText: "text",
};

const names = Object.keys(columnTypes);
const columns = sql.join(names.map((name) => sql.ref(name)));
const types = sql.join(
  Object.entries({ ...columnTypes, ...textTypes }).map(
    ([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`,
  ),
);
const assignments = sql.join(
  [...names, "words", "text"].map((name) => sql`${sql.ref(name)} = ${sql.ref(`excluded.${name}`)}`),
);

/** Prefers the stored sum, because computing it reads a row for each version and day. */
const downloads = sql`coalesce(
  (select stored.downloads from search_entries as stored where stored.package_id = entry.package_id),
  (
    select sum(count) from downloads join versions on versions.id = downloads.version_id
    where versions.package_id = entry.package_id
  ),
  0
)`;
