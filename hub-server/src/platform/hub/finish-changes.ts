import { sql, type Transaction } from "kysely";

import type { Tables } from "../database/tables.ts";
import { appendEvents, type HubEvent } from "./event-log.ts";

/** Updates the search entries of packages. */
export type IndexPackages = (
  transaction: Transaction<Tables>,
  packageIds: readonly number[],
) => Promise<void>;

/** What a change leaves to the end of its transaction. */
export interface Changed {
  readonly now: Date;
  readonly events: readonly HubEvent[];
  /** The names of changed packages by their id. */
  readonly touched: ReadonlyMap<number, string>;
}

/** The PostgreSQL channel that notifies replicas of changed packages. */
export const packageChannel = "package_changed";

/** Returns the end of a transaction: it indexes the packages that its changes have touched, notifies replicas, and logs the events. */
export function finishChanges(indexPackages: IndexPackages) {
  return async (transaction: Transaction<Tables>, changes: readonly Changed[]): Promise<void> => {
    const touched = new Map(changes.flatMap((changed) => [...changed.touched]));
    if (touched.size > 0) {
      await indexPackages(transaction, [...touched.keys()]);
      await sql`
        select pg_notify(${packageChannel}, name) from unnest(${[...touched.values()]}::text[]) as name
      `.execute(transaction);
    }
    await appendEvents(
      transaction,
      changes.flatMap(({ events, now }) => events.map((event) => ({ ...event, at: now }))),
    );
  };
}
