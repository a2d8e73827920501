import type { PGlite } from "@electric-sql/pglite";
import type { PostgresPool, PostgresPoolClient } from "kysely";

import { preparedQuery } from "./prepared.ts";

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
