import type { FastifyBaseLogger } from "fastify";

import type { BlobStore } from "./blobs/blob-store.ts";
import type { Settings } from "./config/settings.ts";
import type { Connection, Database } from "./database/connect.ts";

/** What every part of a hub works with. */
export interface Hub {
  readonly settings: Settings;
  readonly connection: Connection;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly clock: () => Date;
  readonly log: FastifyBaseLogger;
  /** Drops what this process has cached of a package. */
  forget(name: string): void;
  /** Registers what is to be dropped with a package. */
  onForget(drop: (name: string | undefined) => void): void;
  /** Says that the event log has grown. */
  told(): void;
  onTold(hear: () => void): void;
}
