import { sql } from "kysely";

import type { Database } from "../../platform/database/connect.ts";
import type { DailyCount, Period } from "./period.ts";

/** A package's downloads on the days that have any. */
export async function downloadsByDay(
  database: Database,
  packageId: number,
  period: Period,
): Promise<DailyCount[]> {
  return await within(database, packageId, period)
    .groupBy("day")
    .orderBy("day")
    .select((row) => ["day", sql<number>`sum(${row.ref("count")})::bigint`.as("count")])
    .execute();
}

/** A package's downloads in a period by version, the most downloaded first. */
export async function downloadsByVersion(
  database: Database,
  packageId: number,
  period: Period,
): Promise<{ readonly version: string; readonly count: number }[]> {
  return await within(database, packageId, period)
    .where("unpublished_at", "is", null)
    .groupBy("version")
    .select((row) => ["version", sql<number>`sum(${row.ref("count")})::bigint`.as("count")])
    .orderBy("count", "desc")
    .orderBy("version")
    .execute();
}

function within(database: Database, packageId: number, { from, to }: Period) {
  return database
    .selectFrom("downloads")
    .innerJoin("versions", "versions.id", "downloads.version_id")
    .where("versions.package_id", "=", packageId)
    .where("day", ">=", from)
    .where("day", "<=", to);
}
