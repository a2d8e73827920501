import type { RouteOutput, routes } from "@envs/hub-client";
import { sql } from "kysely";

import type { Database } from "../platform/database/tables.ts";

/** Counts public packages with their environments, versions and downloads, and all accounts. */
export async function statistics(
  database: Database,
): Promise<RouteOutput<typeof routes.readStatistics>> {
  return await database
    .selectFrom("search_entries")
    .where("is_public", "=", true)
    .select((entry) => [
      entry.fn.countAll<number>().as("packages"),
      entry.fn.countAll<number>().filterWhere("is_environment", "=", true).as("environments"),
      sql<number>`coalesce(sum(downloads), 0)::bigint`.as("downloads"),
      sql<number>`coalesce(sum(versions), 0)::bigint`.as("versions"),
      entry
        .selectFrom("accounts")
        .select((account) => account.fn.countAll<number>().as("count"))
        .$asScalar()
        .$notNull()
        .as("accounts"),
    ])
    .executeTakeFirstOrThrow();
}
