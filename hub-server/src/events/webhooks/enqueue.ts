import type { Database } from "../../platform/database/connect.ts";

const batchSize = 500;

/** Whether the hub has an enabled webhook: most hubs do not, and skip the search after each event. */
export async function hasWebhooks(database: Database): Promise<boolean> {
  const row = await database
    .selectFrom("webhooks")
    .where("disabled_at", "is", null)
    .select("id")
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Creates the deliveries of each webhook for matching events after its cursor, and returns their number. Skips webhooks that
 * another replica has locked.
 */
export async function enqueueDeliveries(database: Database, now: Date): Promise<number> {
  return await database.transaction().execute(async (transaction) => {
    const hooks = await transaction
      .selectFrom("webhooks")
      .where("disabled_at", "is", null)
      .where("cursor", "<", (row) =>
        row.selectFrom("events").select((event) => event.fn.max("sequence").as("last")),
      )
      .selectAll()
      .forUpdate()
      .skipLocked()
      .execute();
    let count = 0;
    for (const { id, account_id, package_id, types, cursor } of hooks) {
      const events = await transaction
        .selectFrom("events")
        .leftJoin("packages", "packages.id", "events.package_id")
        .where("events.sequence", ">", cursor)
        .orderBy("events.sequence")
        .limit(batchSize)
        .select(["events.sequence", "events.type", "events.package_id"])
        .select((row) =>
          row.fn.coalesce("packages.owner_id", "events.organisation_id").as("owner_id"),
        )
        .execute();
      const matching = events.filter(
        (event) =>
          event.owner_id === account_id &&
          (package_id === null || event.package_id === package_id) &&
          (types.length === 0 || types.includes(event.type)),
      );
      if (matching.length > 0)
        await transaction
          .insertInto("webhook_deliveries")
          .values(
            matching.map(({ sequence }) => ({
              webhook_id: id,
              sequence,
              status: null,
              next_attempt_at: now,
              delivered_at: null,
            })),
          )
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      count += matching.length;
      await transaction
        .updateTable("webhooks")
        .set({ cursor: events.at(-1)?.sequence ?? cursor })
        .where("id", "=", id)
        .execute();
    }
    return count;
  });
}
