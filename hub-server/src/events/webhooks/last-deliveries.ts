import type { Database } from "../../platform/database/connect.ts";

const pageSize = 100;
/** How long deliveries are kept: long after their last attempt. */
const retentionMilliseconds = 30 * 24 * 3_600_000;

/** A delivery to a webhook with its attempts. */
interface Delivery {
  readonly sequence: number;
  readonly attempts: number;
  readonly status: number | null;
  readonly deliveredAt: string | null;
  readonly nextAttemptAt: string | null;
}

/** Lists the last 100 deliveries to a webhook, the newest first. */
export async function lastDeliveries(database: Database, id: string): Promise<Delivery[]> {
  const rows = await database
    .selectFrom("webhook_deliveries")
    .innerJoin("webhooks", "webhooks.id", "webhook_deliveries.webhook_id")
    .where("webhook_id", "=", id)
    .orderBy("sequence", "desc")
    .limit(pageSize)
    .select(["sequence", "attempts", "status", "delivered_at", "next_attempt_at", "backoff_until"])
    .execute();
  return rows.map(
    ({ sequence, attempts, status, delivered_at, next_attempt_at, backoff_until }) => {
      const isOver = delivered_at !== null || next_attempt_at === null;
      // A delivery that is due waits until the receiver's backoff ends.
      const next = Math.max(next_attempt_at?.getTime() ?? 0, backoff_until?.getTime() ?? 0);
      return {
        sequence,
        attempts,
        status,
        deliveredAt: delivered_at?.toISOString() ?? null,
        nextAttemptAt: isOver ? null : new Date(next).toISOString(),
      };
    },
  );
}

/** Deletes the deliveries of events that are older than 30 days. */
export async function dropOldDeliveries(database: Database, now: Date): Promise<void> {
  await database
    .deleteFrom("webhook_deliveries")
    .where("sequence", "<=", (row) =>
      row
        .selectFrom("events")
        .where("at", "<", new Date(now.getTime() - retentionMilliseconds))
        .select((event) => event.fn.max("sequence").as("last")),
    )
    .execute();
}
