import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import type { PostgresPool, PostgresPoolClient } from "kysely";

import { preparedQuery } from "./prepared.ts";

const dateType = 1082;

const parameters = [
  // PostgreSQL writes to all buffers at start-up. The operating system's file cache holds the rest.
  "shared_buffers=32MB",
  // Pages are in memory, and without autovacuum's statistics the planner would prefer sequential scans.
  "random_page_cost=1.1",
];

/** The folder contains a damaged database, or one of another PostgreSQL version. */
class DamagedDatabaseError extends Error {
  override readonly name = "DamagedDatabaseError";
}

/**
 * Opens PostgreSQL in this process, in `folder` or in memory. Throws a {@link DamagedDatabaseError} if it cannot start on
 * the folder's files.
 */
export async function openEmbedded(folder?: string, options: PGliteOptions = {}): Promise<PGlite> {
  if (folder !== undefined) await mkdir(dirname(folder), { recursive: true });
  return await PGlite.create({
    ...options,
    startParams: [
      ...PGlite.defaultStartParams,
      ...parameters.flatMap((parameter) => ["-c", parameter]),
    ],
    ...(folder === undefined ? {} : { dataDir: folder }),
    extensions: { pg_trgm },
    parsers: { [dateType]: (text: string) => text },
  }).catch((cause: unknown) => {
    if (folder === undefined) throw cause;
    throw new DamagedDatabaseError(
      `PostgreSQL cannot start on ${folder}: files are missing or damaged, or another version of PostgreSQL wrote them. Restore a backup into a new folder: envs-hub restore hub.backup --data <folder>`,
      { cause },
    );
  });
}

/**
 * The embedded database as a pool of one connection. Kysely's PGlite dialect shares the connection between callers, so a
 * concurrent query would run inside another caller's transaction; this pool gives a transaction exclusive use.
 */
export function embeddedPool(database: PGlite): PostgresPool {
  const waiting: (() => void)[] = [];
  let inUse = false;
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) inUse = false;
    else next();
  };
  const execute = preparedQuery(database);
  const query = async (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
    const { rows, affectedRows, fields } = await execute(sql, parameters);
    // Kysely reads `command` only to decide whether to report the number of changed rows.
    return {
      command: fields.length === 0 ? "UPDATE" : "SELECT",
      rowCount: affectedRows ?? 0,
      rows,
    };
  };
  const client = { query, release } as PostgresPoolClient;
  return {
    options: {},
    async connect() {
      if (inUse) await new Promise<void>((resolve) => void waiting.push(resolve));
      inUse = true;
      return client;
    },
    end: () => database.close(),
  };
}
