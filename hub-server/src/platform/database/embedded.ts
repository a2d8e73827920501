import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

import { PGlite, type PGliteOptions } from "@electric-sql/pglite";
import { pg_trgm } from "@electric-sql/pglite/contrib/pg_trgm";
import type { PostgresPool, PostgresPoolClient } from "kysely";

import { preparedQuery } from "./prepared.ts";

const dateType = 1082;

const parameters = [
  // All of them are written to at the start. What they do not hold, the system's own cache of files does.
  "shared_buffers=32MB",
  // Pages are in memory and nothing ever gathers statistics, without which scans of whole tables look cheap.
  "random_page_cost=1.1",
];

/** What lies in the folder is no database any more, or that of another PostgreSQL. */
class DamagedDatabaseError extends Error {
  override readonly name = "DamagedDatabaseError";
}

/**
 * Opens PostgreSQL in this process: in a folder, or in memory when none is given. Throws a {@link DamagedDatabaseError}
 * when it cannot start on what the folder holds.
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
      `PostgreSQL cannot start on ${folder}: files are missing or damaged, or another version wrote them. Restore a backup into a new folder: envs-hub restore hub.backup --data <folder>`,
      { cause },
    );
  });
}

/**
 * The embedded database as a pool of one connection. Kysely's own PGlite dialect hands the connection to everyone at
 * once, so that a query beside a transaction would run inside it; here a transaction has it alone.
 */
export function embeddedPool(database: PGlite): PostgresPool {
  const waiting: (() => void)[] = [];
  let taken = false;
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) taken = false;
    else next();
  };
  const ask = preparedQuery(database);
  const query = async (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
    const { rows, affectedRows, fields } = await ask(sql, parameters);
    // Of the command, Kysely only wants to know whether to report a count of changed rows.
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
      if (taken) await new Promise<void>((resolve) => void waiting.push(resolve));
      taken = true;
      return client;
    },
    end: () => database.close(),
  };
}
