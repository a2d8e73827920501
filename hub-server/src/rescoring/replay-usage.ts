import { sql } from "kysely";

import type { Database } from "../platform/database/tables.ts";

const dayMs = 24 * 3_600_000;

/** The day (UTC) that a replay counts for. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** Jobs wait in two queues, each with its budget and workers: replays of replies, and plays of models. */
export type Queue = "replay" | "play";

/** What an owner's jobs in a queue took today: milliseconds, and the cost of models. */
export async function usedToday(
  database: Database,
  owner: number,
  { queue, now }: { readonly queue: Queue; readonly now: Date },
): Promise<{ readonly milliseconds: number; readonly cost: number }> {
  const row = await database
    .selectFrom("replay_usage")
    .where("owner_id", "=", owner)
    .where("day", "=", dayOf(now))
    .where("queue", "=", queue)
    .select(["milliseconds", "cost"])
    .executeTakeFirst();
  return row ?? { milliseconds: 0, cost: 0 };
}

/** Adds the time or the cost of a job to that of its owner, and drops the rows of past days. */
export async function addUsage(
  database: Database,
  owner: number,
  used: {
    readonly queue: Queue;
    readonly milliseconds?: number;
    readonly cost?: number;
    readonly now: Date;
  },
): Promise<void> {
  const { queue, milliseconds = 0, cost = 0, now } = used;
  await database
    .insertInto("replay_usage")
    .values({
      owner_id: owner,
      day: dayOf(now),
      queue,
      milliseconds: Math.ceil(milliseconds),
      cost,
    })
    .onConflict((conflict) =>
      conflict.columns(["owner_id", "day", "queue"]).doUpdateSet({
        milliseconds: sql<number>`replay_usage.milliseconds + excluded.milliseconds`,
        cost: sql<number>`replay_usage.cost + excluded.cost`,
      }),
    )
    .execute();
  await database
    .deleteFrom("replay_usage")
    .where("owner_id", "=", owner)
    .where("day", "<", dayOf(new Date(now.getTime() - dayMs)))
    .execute();
}
