import { sql } from "kysely";

import type { Database } from "../../platform/database/connect.ts";
import type { DailyCount, Period } from "./period.ts";

/** A package's downloads by day; days without downloads are missing. */
export async function downloadsByDay(
  database: Database,
  packageId: number,
  period: Period,
): Promise<DailyCount[]> {
  return await downloadsIn(database, packageId, period)
    .groupBy("day")
    .orderBy("day")
    .select((row) => ["day", sql<number>`sum(${row.ref("count")})::bigint`.as("count")])
    .execute();
}

/** A package's downloads by version, in descending order. */
export async function downloadsByVersion(
  database: Database,
  packageId: number,
  period: Period,
): Promise<{ readonly version: string; readonly count: number }[]> {
  return await downloadsIn(database, packageId, period)
    .where("unpublished_at", "is", null)
    .groupBy("version")
    .select((row) => ["version", sql<number>`sum(${row.ref("count")})::bigint`.as("count")])
    .orderBy("count", "desc")
    .orderBy("version")
    .execute();
}

function downloadsIn(database: Database, packageId: number, { from, to }: Period) {
  return database
    .selectFrom("downloads")
    .innerJoin("versions", "versions.id", "downloads.version_id")
    .where("versions.package_id", "=", packageId)
    .where("day", ">=", from)
    .where("day", "<=", to);
}
