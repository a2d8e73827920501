import type { FastifyBaseLogger } from "fastify";
import type { Transaction } from "kysely";

import type { BlobStore } from "../blobs/blob-store.ts";
import type { Damage } from "../blobs/verified.ts";
import type { Settings } from "../config/settings.ts";
import type { Database, DatabaseConnection } from "../database/connect.ts";
import type { Tables } from "../database/tables.ts";
import type { FreeSpace } from "../files/free-space.ts";

/** The services that every module of the hub shares. */
export interface Hub {
  readonly settings: Settings;
  readonly connection: DatabaseConnection;
  readonly database: Database;
  /** The store of blobs, which verifies every blob that it reads. */
  readonly blobs: BlobStore;
  /** How many requests since the start found a corrupt or missing blob. */
  readonly damagedBlobs: Readonly<Record<Damage, number>>;
  /** The disk of the data folder. */
  readonly space: FreeSpace;
  readonly clock: () => Date;
  readonly log: FastifyBaseLogger;
  /** Updates a package's search entry. Runs inside the transaction that changes the package. */
  readonly indexPackage: (transaction: Transaction<Tables>, packageId: number) => Promise<void>;
  /** Drops this process's cached responses about a package, or about all packages if `name` is undefined. */
  readonly invalidate: (name: string | undefined) => void;
  /** Calls `listener` at each invalidation. */
  readonly onInvalidate: (listener: (name: string | undefined) => void) => void;
}

type HubServices = Pick<
  Hub,
  "settings" | "connection" | "blobs" | "damagedBlobs" | "space" | "clock" | "log" | "indexPackage"
>;

/** Makes a hub without listeners. */
export function makeHub(services: HubServices): Hub {
  const invalidationListeners: ((name: string | undefined) => void)[] = [];
  return {
    ...services,
    database: services.connection.database,
    invalidate: (name) => invalidationListeners.forEach((listener) => listener(name)),
    onInvalidate: (listener) => void invalidationListeners.push(listener),
  };
}
