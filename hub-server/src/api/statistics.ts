import type { RouteOutput, routes } from "@envs/hub-client";
import { sql } from "kysely";

import type { Database } from "../platform/database/tables.ts";
import type { Hub } from "../platform/hub/hub.ts";

type Statistics = RouteOutput<typeof routes.readStatistics>;

/** Counting takes milliseconds for each thousand packages, and every publish drops the cached home page. */
const manyPackages = 1000;
const maxAgeMs = 10_000;
const recent = new WeakMap<Hub, { readonly counts: Statistics; readonly at: number }>();

/**
 * Counts public packages with their environments, versions and downloads, and all accounts. The counts of a hub with more than
 * a thousand packages may be ten seconds old.
 */
export async function statistics(hub: Hub): Promise<Statistics> {
  const last = recent.get(hub);
  const now = hub.clock().getTime();
  if (last !== undefined && last.counts.packages > manyPackages && now < last.at + maxAgeMs)
    return last.counts;
  const counts = await count(hub.database);
  recent.set(hub, { counts, at: now });
  return counts;
}

async function count(database: Database): Promise<Statistics> {
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
