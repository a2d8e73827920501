import type { PGlite } from "@electric-sql/pglite";
import { Kysely, PostgresDialect } from "kysely";
import type pg from "pg";

import { checkpointRegularly } from "./checkpoints.ts";
import { embeddedPool } from "./embedded-pool.ts";
import type { Listener } from "./listen.ts";
import type { Tables } from "./tables.ts";

/** The hub's database. Inside a transaction, query only the transaction: the embedded database has one connection. */
export type Database = Kysely<Tables>;

/** An open connection to the embedded database or to a server. */
export interface DatabaseConnection {
  readonly kind: "embedded" | "server";
  readonly database: Database;
  /** Runs a text with several SQL statements, such as a migration. */
  readonly execute: (sql: string) => Promise<void>;
  /** Receives the notifications of all replicas on a channel (LISTEN). */
  listen(channel: string, listener: Listener): Promise<void>;
  close(): Promise<void>;
}

/** Opens the embedded database of a data folder. */
export async function connectEmbedded(pglite: PGlite): Promise<DatabaseConnection> {
  const pool = embeddedPool(pglite);
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const endCheckpoints = checkpointRegularly(database);
  return {
    kind: "embedded",
    database,
    execute: async (sql) => void (await pglite.exec(sql)),
    listen: async (channel, { message }) => void (await pglite.listen(channel, message)),
    async close() {
      endCheckpoints();
      await database.destroy();
    },
  };
}

/** Opens connections to a PostgreSQL server. */
export async function connectServer(url: string, connections: number): Promise<DatabaseConnection> {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types: typeParsers(pg),
  });
  // Without a listener, the error of a broken idle connection would end the process; the next query reports it.
  pool.on("error", () => {});
  // The same holds for a connection in use, whose query rejects.
  pool.on("connect", (client) => void client.on("error", () => {}));
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const listening: { stop: () => Promise<void> }[] = [];
  return {
    kind: "server",
    database,
    execute: async (sql) => void (await pool.query(sql)),
    async listen(channel, listener) {
      const { listenTo } = await import("./listen.ts");
      listening.push(await listenTo(url, channel, listener));
    },
    async close() {
      await Promise.all(listening.map(({ stop }) => stop()));
      await database.destroy();
    },
  };
}

/** Parses bigint as number, since the hub's counts fit a double, and date as text, since a Date would have a time zone. */
function typeParsers({ TypeOverrides, types }: typeof pg): pg.TypeOverrides {
  const parsers = new TypeOverrides();
  parsers.setTypeParser(types.builtins.INT8, Number);
  parsers.setTypeParser(types.builtins.DATE, String);
  return parsers;
}
