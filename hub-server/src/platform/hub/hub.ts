import type { FastifyBaseLogger } from "fastify";
import { sql, type Transaction } from "kysely";

import type { BlobStore, Damage } from "../blobs/blob-store.ts";
import { claimTogether } from "../blobs/claims.ts";
import type { Settings } from "../config/settings.ts";
import type { DatabaseConnection } from "../database/connect.ts";
import type { Database, Tables } from "../database/tables.ts";
import type { FreeSpace } from "../files/free-space.ts";
import type { HubEvent } from "./event-log.ts";
import { type Changed, finishChanges, type IndexPackages } from "./finish-changes.ts";
import { type Transact, transactionsOf } from "./transactions.ts";

/** The services that every module of the hub shares. */
export interface Hub {
  readonly settings: Settings;
  readonly connection: DatabaseConnection;
  readonly database: Database;
  /** Runs the transaction of {@link change}. */
  readonly transact: Transact<Changed>;
  /** Protects blobs from the sweep for a day. */
  readonly claim: (keys: readonly string[]) => Promise<void>;
  /** The store of blobs, which verifies every blob that it reads. */
  readonly blobs: BlobStore;
  /** How many requests since the start found a corrupt or missing blob. */
  readonly damagedBlobs: Readonly<Record<Damage, number>>;
  /** The disk of the data folder. */
  readonly space: FreeSpace;
  readonly clock: () => Date;
  readonly log: FastifyBaseLogger;
  /** Drops this process's cached responses about a package, or about all packages if `name` is undefined. */
  readonly invalidate: (name: string | undefined) => void;
  /** Calls `listener` at each invalidation. */
  readonly onInvalidate: (listener: (name: string | undefined) => void) => void;
}

type HubServices = Pick<
  Hub,
  "settings" | "connection" | "blobs" | "damagedBlobs" | "space" | "clock" | "log"
> & {
  readonly indexPackages: IndexPackages;
};

/** Makes a hub without listeners. */
export function makeHub({ indexPackages, ...services }: HubServices): Hub {
  const invalidationListeners: ((name: string | undefined) => void)[] = [];
  return {
    ...services,
    database: services.connection.database,
    transact: transactionsOf(services.connection, { finish: finishChanges(indexPackages) }),
    claim: claimTogether(services.connection.database, services.clock),
    invalidate: (name) => invalidationListeners.forEach((listener) => listener(name)),
    onInvalidate: (listener) => void invalidationListeners.push(listener),
  };
}

/** An atomic change of the hub's state. */
export interface Change {
  readonly database: Transaction<Tables>;
  readonly now: Date;
  /** Appends an event to the log, in the order of the calls. */
  readonly event: (event: HubEvent) => void;
  /** Marks a package as changed: raises its revision, indexes it again and invalidates its cached responses. */
  readonly touch: (row: { readonly id: number; readonly name: string }) => void;
}

/**
 * Runs `work` in a transaction, if the disk has room for it. After the commit, invalidates cached responses and notifies event
 * listeners. On the embedded database, changes that wait commit together; each fails alone, and `work` may run twice.
 */
export async function change<Result>(
  hub: Hub,
  work: (change: Change) => Promise<Result>,
): Promise<Result> {
  await hub.space.require();
  const now = hub.clock();
  const { result, touched } = await hub.transact(async (database) => {
    const events: HubEvent[] = [];
    const touched = new Map<number, string>();
    const result = await work({
      database,
      now,
      event: (event) => void events.push(event),
      touch: ({ id, name }) => void touched.set(id, name),
    });
    if (touched.size > 0)
      await database
        .updateTable("packages")
        .set((row) => ({ revision: sql<number>`${row.ref("revision")} + 1`, modified_at: now }))
        .where("id", "in", [...touched.keys()])
        .execute();
    return { result, now, events, touched };
  });
  for (const name of touched.values()) hub.invalidate(name);
  return result;
}
