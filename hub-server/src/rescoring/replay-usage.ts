import { sql } from "kysely";

import type { Database } from "../platform/database/tables.ts";

const dayMs = 24 * 3_600_000;

/** The day (UTC) that a replay counts for. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** Jobs wait in two queues, each with its budget and workers: replays of replies, and plays of models. */
export type Queue = "replay" | "play";

/** The milliseconds that an owner's jobs in a queue took today. */
export async function usedTime(
  database: Database,
  owner: number,
  { queue, now }: { readonly queue: Queue; readonly now: Date },
): Promise<number> {
  const row = await database
    .selectFrom("replay_usage")
    .where("owner_id", "=", owner)
    .where("day", "=", dayOf(now))
    .where("queue", "=", queue)
    .select("milliseconds")
    .executeTakeFirst();
  return row?.milliseconds ?? 0;
}

/**
 * Adds a cost to that of an owner's plays, unless it would exceed the budget of the day; a negative cost returns the rest of a
 * reservation. One statement, so that concurrent calls cannot exceed the budget together.
 */
export async function reserveCost(
  database: Database,
  owner: number,
  { cost, budget, now }: { readonly cost: number; readonly budget: number; readonly now: Date },
): Promise<boolean> {
  if (cost > budget) return false;
  // A reservation of the day before may end today.
  const added = { milliseconds: 0, cost: Math.max(0, cost) };
  const row = { owner_id: owner, day: dayOf(now), queue: "play", ...added } as const;
  const reserved = await database
    .insertInto("replay_usage")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(["owner_id", "day", "queue"])
        .doUpdateSet({ cost: sql<number>`replay_usage.cost + ${cost}::float8` }).where(sql<boolean>`
          replay_usage.cost + ${cost}::float8 <= ${budget}::float8 or ${cost}::float8 <= 0`),
    )
    .returning("cost")
    .executeTakeFirst();
  return reserved !== undefined;
}

/** Adds the time of a job to that of its owner, and drops the rows of past days. */
export async function addUsage(
  database: Database,
  owner: number,
  used: {
    readonly queue: Queue;
    readonly milliseconds: number;
    readonly now: Date;
  },
): Promise<void> {
  const { queue, milliseconds, now } = used;
  await database
    .insertInto("replay_usage")
    .values({
      owner_id: owner,
      day: dayOf(now),
      queue,
      milliseconds: Math.ceil(milliseconds),
    })
    .onConflict((conflict) =>
      conflict.columns(["owner_id", "day", "queue"]).doUpdateSet({
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
