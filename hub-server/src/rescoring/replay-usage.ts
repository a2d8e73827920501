import { sql } from "kysely";

import type { Database } from "../platform/database/tables.ts";

const dayMs = 24 * 3_600_000;

/** The day (UTC) that a replay counts for. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The milliseconds that an owner's replays took today. */
export async function usedTime(database: Database, owner: number, now: Date): Promise<number> {
  const row = await database
    .selectFrom("replay_usage")
    .where("owner_id", "=", owner)
    .where("day", "=", dayOf(now))
    .select("milliseconds")
    .executeTakeFirst();
  return row?.milliseconds ?? 0;
}

/** Adds the time of a replay to that of its owner, and drops the rows of past days. */
export async function addUsedTime(
  database: Database,
  owner: number,
  { milliseconds, now }: { readonly milliseconds: number; readonly now: Date },
): Promise<void> {
  const row = { owner_id: owner, day: dayOf(now), milliseconds: Math.ceil(milliseconds) };
  await database
    .insertInto("replay_usage")
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(["owner_id", "day"]).doUpdateSet({
        milliseconds: sql<number>`replay_usage.milliseconds + excluded.milliseconds`,
      }),
    )
    .execute();
  await database
    .deleteFrom("replay_usage")
    .where("owner_id", "=", owner)
    .where("day", "<", dayOf(new Date(now.getTime() - dayMs)))
    .execute();
}
