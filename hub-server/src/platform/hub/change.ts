import { sql, type Transaction } from "kysely";

import type { Tables } from "../database/tables.ts";
import { appendEvents, type HubEvent } from "./event-log.ts";
import type { Hub } from "./hub.ts";

/** One change of the hub's state: all of it happens, or nothing. */
export interface Change {
  readonly database: Transaction<Tables>;
  readonly now: Date;
  /** What the log will tell, in this order. */
  readonly event: (event: HubEvent) => void;
  /** Says that a package's answers differ from now on. */
  readonly touch: (found: { readonly id: number; readonly name: string }) => void;
}

/** The channel on which replicas tell each other which package changed. */
export const packageChannel = "package_changed";

/** Runs a change in a transaction; then, and only then, cached answers are dropped and listeners told. */
export async function change<Result>(
  hub: Hub,
  work: (change: Change) => Promise<Result>,
): Promise<Result> {
  const now = hub.clock();
  const events: HubEvent[] = [];
  const touched = new Map<number, string>();
  const result = await hub.database.transaction().execute(async (database) => {
    const done = await work({
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
    return done;
  });
  for (const name of touched.values()) hub.invalidate(name);
  if (events.length > 0) hub.notify();
  return result;
}
