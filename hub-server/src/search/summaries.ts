import type { PackageSummary } from "@envs/hub-client";

import type { Database } from "../platform/database/connect.ts";

/** Reads the summaries that lists show, in the order of the ids. */
export async function summariesOf(
  database: Database,
  ids: readonly number[],
): Promise<PackageSummary[]> {
  if (ids.length === 0) return [];
  const rows = await database
    .selectFrom("search_entries as entry")
    .innerJoin("versions", "versions.id", "entry.version_id")
    .where("entry.package_id", "in", ids)
    .select(["entry.package_id", "entry.name", "versions.version", "entry.description"])
    .select(["entry.owner", "entry.is_public", "entry.is_archived", "entry.deprecated"])
    .select(["entry.is_environment", "entry.title", "entry.kind", "entry.tags", "entry.keywords"])
    .select(["entry.tools", "entry.scores", "entry.downloads", "entry.stars", "entry.published_at"])
    .execute();
  const byId = new Map(rows.map((row) => [row.package_id, row]));
  return ids.flatMap((id) => {
    const row = byId.get(id);
    if (row === undefined) return [];
    const { package_id: _id, is_public, is_archived, is_environment, published_at, ...rest } = row;
    return {
      ...rest,
      access: is_public ? "public" : "restricted",
      isArchived: is_archived,
      isEnvironment: is_environment,
      publishedAt: published_at.toISOString(),
    };
  });
}
