import type { PGlite } from "@electric-sql/pglite";
import type { PostgresPool, PostgresPoolClient } from "kysely";

import { preparedQuery } from "./prepared.ts";
import { databaseUnavailable } from "./unavailable.ts";

/** A pool of one connection to the embedded database. */
export interface EmbeddedPool extends PostgresPool {
  /** Runs a text with several SQL statements. */
  readonly execute: (sql: string) => Promise<void>;
  /** Resolves with PostgreSQL's error if it has stopped for good, for example because the disk failed. */
  readonly failure: Promise<Error>;
}

/**
 * The embedded database as a pool of one connection. Kysely's PGlite dialect shares the connection between callers, so a
 * concurrent query would run inside another caller's transaction; this pool gives a transaction exclusive use.
 */
export function embeddedPool(database: PGlite): EmbeddedPool {
  const waiting: (() => void)[] = [];
  let inUse = false;
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) inUse = false;
    else next();
  };
  let panic: Error | undefined;
  const { promise: failure, resolve: fail } = Promise.withResolvers<Error>();
  // PGlite survives a PANIC of PostgreSQL, but its next call never returns and blocks this thread.
  const guard = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    if (panic !== undefined) throw databaseUnavailable(panic);
    try {
      return await call();
    } catch (error) {
      if (!isPanic(error)) throw error;
      panic = error;
      fail(error);
      throw databaseUnavailable(error);
    }
  };
  const prepared = preparedQuery(database);
  const query = async (sql: string, parameters: readonly unknown[]): Promise<unknown> => {
    const { rows, affectedRows, fields } = await guard(() => prepared(sql, parameters));
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
    failure,
    execute: async (sql) => void (await guard(() => database.exec(sql))),
    async connect() {
      if (inUse) await new Promise<void>((resolve) => void waiting.push(resolve));
      inUse = true;
      return client;
    },
    async end() {
      if (panic === undefined) await database.close();
    },
  };
}

function isPanic(error: unknown): error is Error {
  return error instanceof Error && "severity" in error && error.severity === "PANIC";
}
