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
  /** Drops what this process has cached of a package; of all, when none is named. */
  readonly forget: (name: string | undefined) => void;
  /** Registers what is to be dropped with a package. */
  readonly onForget: (drop: (name: string | undefined) => void) => void;
  /** Says that the event log has grown. */
  readonly told: () => void;
  readonly onTold: (hear: () => void) => void;
}

type Parts = Pick<Hub, "settings" | "connection" | "blobs" | "clock" | "log">;

/** Puts a hub together, before anyone listens to it. */
export function makeHub(parts: Parts): Hub {
  const drops: ((name: string | undefined) => void)[] = [];
  const hearers: (() => void)[] = [];
  return {
    ...parts,
    database: parts.connection.database,
    forget: (name) => drops.forEach((drop) => drop(name)),
    onForget: (drop) => void drops.push(drop),
    told: () => hearers.forEach((hear) => hear()),
    onTold: (hear) => void hearers.push(hear),
  };
}
