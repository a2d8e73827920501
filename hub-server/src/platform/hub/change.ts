import { sql, type Transaction } from "kysely";

import type { Tables } from "../database/tables.ts";
import { appendEvents, type HubEvent } from "./event-log.ts";
import type { Hub } from "./hub.ts";

/** An atomic change of the hub's state. */
export interface Change {
  readonly database: Transaction<Tables>;
  readonly now: Date;
  /** Appends an event to the log, in the order of the calls. */
  readonly event: (event: HubEvent) => void;
  /** Marks a package as changed: raises its revision, indexes it again and invalidates its cached responses. */
  readonly touch: (row: { readonly id: number; readonly name: string }) => void;
}

/** The PostgreSQL channel that notifies replicas of changed packages. */
export const packageChannel = "package_changed";

/** Runs `work` in a transaction, if the disk has room for it. After the commit, invalidates cached responses and notifies event listeners. */
export async function change<Result>(
  hub: Hub,
  work: (change: Change) => Promise<Result>,
): Promise<Result> {
  await hub.space.require();
  const now = hub.clock();
  const events: HubEvent[] = [];
  const touched = new Map<number, string>();
  const result = await hub.database.transaction().execute(async (database) => {
    const returned = await work({
      database,
      now,
      event: (event) => void events.push(event),
      touch: ({ id, name }) => void touched.set(id, name),
    });
    for (const [id, name] of touched) {
      await database
        .updateTable("packages")
        .set((row) => ({ revision: sql<number>`${row.ref("revision")} + 1`, modified_at: now }))
        .where("id", "=", id)
        .execute();
      await hub.indexPackage(database, id);
      await sql`select pg_notify(${packageChannel}, ${name})`.execute(database);
    }
    await appendEvents(database, events, now);
    return returned;
  });
  for (const name of touched.values()) hub.invalidate(name);
  return result;
}
