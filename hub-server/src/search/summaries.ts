import type { PackageSummary } from "@envs/hub-client";
import { type RawBuilder, sql } from "kysely";

import type { Database } from "../platform/database/tables.ts";

/** Reads the summaries that lists show, in the order of the ids. */
export async function summariesOf(
  database: Database,
  ids: readonly number[],
): Promise<PackageSummary[]> {
  if (ids.length === 0) return [];
  const rows = await database
    .selectFrom("search_entries")
    .innerJoin("versions", "versions.id", "search_entries.version_id")
    .where("search_entries.package_id", "in", ids)
    .select(["search_entries.package_id", "name", "versions.version", "description"])
    .select(["owner", "is_public", "is_archived", "search_entries.deprecated"])
    .select(["is_environment", "title", "kind", "tags", "keywords"])
    .select(["tools", "scores", "license", "downloads", "stars", "search_entries.published_at"])
    .select([runsOf("evaluation").as("evaluations"), runsOf("training").as("trainings")])
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

/** The number of complete runs of a package, for queries that read `search_entries`. */
export function runsOf(kind: "evaluation" | "training"): RawBuilder<number> {
  return sql<number>`(
    select count(*) from runs
    where runs.package_id = search_entries.package_id and runs.state = 'complete' and runs.kind = ${sql.lit(kind)}
  )`;
}
