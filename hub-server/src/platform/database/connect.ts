import type { PGlite } from "@electric-sql/pglite";
import { Kysely, PostgresDialect } from "kysely";
import type pg from "pg";

import { checkpointRegularly } from "./checkpoints.ts";
import { embeddedPool } from "./embedded.ts";
import type { Listener } from "./listen.ts";
import type { Tables } from "./tables.ts";

/** The database of a hub, whichever kind. Inside a transaction, ask the transaction alone: the embedded one has a single connection. */
export type Database = Kysely<Tables>;

export interface Connection {
  readonly kind: "embedded" | "server";
  readonly database: Database;
  /** Several statements of SQL in one text, as a migration is. */
  readonly execute: (sql: string) => Promise<void>;
  /** Hears what any replica says on a channel. `lost` is called when messages may have been missed. */
  listen(channel: string, heard: Listener): Promise<void>;
  close(): Promise<void>;
}

/** Opens the embedded database of a data folder. */
export async function connectEmbedded(pglite: PGlite): Promise<Connection> {
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
export async function connectServer(url: string, connections: number): Promise<Connection> {
  const { default: pg } = await import("pg");
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types: typeParsers(pg),
  });
  // Without a listener, an idle connection that breaks would end the process; the next query reports it.
  pool.on("error", () => {});
  // So would one that somebody is using; whoever does hears of it by the query.
  pool.on("connect", (client) => void client.on("error", () => {}));
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const listening: { stop: () => Promise<void> }[] = [];
  return {
    kind: "server",
    database,
    execute: async (sql) => void (await pool.query(sql)),
    async listen(channel, heard) {
      const { listenTo } = await import("./listen.ts");
      listening.push(await listenTo(url, channel, heard));
    },
    async close() {
      await Promise.all(listening.map(({ stop }) => stop()));
      await database.destroy();
    },
  };
}

/** Numbers that the hub counts fit a double; a day is text, since a Date would have a time zone. */
function typeParsers({ TypeOverrides, types }: typeof pg): pg.TypeOverrides {
  const parsers = new TypeOverrides();
  parsers.setTypeParser(types.builtins.INT8, Number);
  parsers.setTypeParser(types.builtins.DATE, String);
  return parsers;
}
