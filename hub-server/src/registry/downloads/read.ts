import { sql } from "kysely";

import type { Database } from "../../platform/database/tables.ts";
import { HubError } from "../../platform/errors/hub-error.ts";

/** Inclusive days in UTC, as `YYYY-MM-DD`. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

export interface DailyCount {
  readonly day: string;
  readonly count: number;
}

const dayMilliseconds = 86_400_000;

/** The first day that a period may include, which excludes years without four digits, whose notations differ. */
const minDay = "1970-01-01";
const maxDays = 366;

/** The `count` days up to and including `to`. */
export function lastDays(count: number, to: Date): Period {
  return { from: dayOf(to.getTime() - (count - 1) * dayMilliseconds), to: dayOf(to.getTime()) };
}

/** Validates a requested period. Defaults: `to` is today, and the period has 30 days. */
export function requestedPeriod(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Date,
): Period {
  const recent = lastDays(30, to === undefined ? now : new Date(to));
  const period = { from: from ?? recent.from, to: recent.to };
  const days = daysIn(period);
  if (days >= 1 && days <= maxDays && period.from >= minDay) return period;
  throw new HubError("invalid-period", {
    message: `The period from ${period.from} to ${period.to} has ${days} days. Request 1 to ${maxDays} days, beginning on ${minDay} or later.`,
  });
}

function daysIn({ from, to }: Period): number {
  return (Date.parse(to) - Date.parse(from)) / dayMilliseconds + 1;
}

/** Adds the days without downloads. */
export function everyDay({ from, to }: Period, downloads: readonly DailyCount[]): DailyCount[] {
  const counts = new Map(downloads.map(({ day, count }) => [day, count]));
  return Array.from({ length: daysIn({ from, to }) }, (_, index) => {
    const day = dayOf(Date.parse(from) + index * dayMilliseconds);
    return { day, count: counts.get(day) ?? 0 };
  });
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

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
