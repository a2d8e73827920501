import type { PostgresPool, PostgresPoolClient } from "kysely";
import pg from "pg";

import { databaseUnavailable } from "./unavailable.ts";

/** The maximum times for a connection and for a result, so that a hanging server does not block the hub. */
const connectTimeoutMs = 10_000;
const queryTimeoutMs = 30_000;

/** SQLSTATEs of a server that ends or refuses connections: class 08, shutdown and start-up (57P), too many connections. */
const unavailableStates = /^(?:08...|57P0[1-5]|53300)$/;

/** Opens a pool of connections to a PostgreSQL server. Its queries reject with `database-unavailable` while the server is unreachable. */
export function serverPool(url: string, connections: number): PostgresPool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types: typeParsers(),
    keepAlive: true,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: queryTimeoutMs,
  });
  // Without a listener, the error of a broken idle connection would end the process; the next query reports it.
  pool.on("error", () => {});
  // Likewise for a connection in use, whose query rejects.
  pool.on("connect", (client) => void client.on("error", () => {}));
  return {
    options: {},
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw databaseUnavailable(error);
      });
      return guarded(client);
    },
    end: () => pool.end(),
  };
}

/** A connection that is closed, instead of reused, after it was lost or did not respond. */
function guarded(client: pg.PoolClient): PostgresPoolClient {
  let isLost = false;
  const query = async (sql: string, parameters: unknown[]): Promise<unknown> =>
    await client.query(sql, parameters).catch((error: unknown) => {
      if (!isLoss(error)) throw error;
      isLost = true;
      throw databaseUnavailable(error);
    });
  return { query, release: () => client.release(isLost) } as PostgresPoolClient;
}

/** Whether an error is not the server's response to a statement. Responses to statements have an SQLSTATE. */
function isLoss(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError) || unavailableStates.test(error.code ?? "");
}

/** Parses bigint as number, since the hub's counts fit a double, and date as text, since a Date would have a time zone. */
function typeParsers(): pg.TypeOverrides {
  const parsers = new pg.TypeOverrides();
  parsers.setTypeParser(pg.types.builtins.INT8, Number);
  parsers.setTypeParser(pg.types.builtins.DATE, String);
  return parsers;
}
