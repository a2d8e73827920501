import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";

import { embeddedPool, openEmbedded } from "./embedded.ts";
import type { Tables } from "./tables.ts";

/** The database of a hub, whichever kind. Inside a transaction, ask the transaction alone: the embedded one has a single connection. */
export type Database = Kysely<Tables>;

export interface Connection {
  readonly kind: "embedded" | "server";
  readonly database: Database;
  /** Several statements of SQL in one text, as a migration is. */
  execute(sql: string): Promise<void>;
  /** Hears what any replica says on a channel. `lost` is called when messages may have been missed. */
  listen(channel: string, heard: Listener): Promise<void>;
  close(): Promise<void>;
}

export interface Listener {
  readonly message: (payload: string) => void;
  readonly lost: () => void;
}

/** Opens the embedded database of a data folder. */
export async function connectEmbedded(
  pglite: Awaited<ReturnType<typeof openEmbedded>>,
): Promise<Connection> {
  const pool = embeddedPool(pglite);
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return {
    kind: "embedded",
    database,
    execute: async (sql) => void (await pglite.exec(sql)),
    listen: async (channel, { message }) => void (await pglite.listen(channel, message)),
    close: () => database.destroy(),
  };
}

/** Opens connections to a PostgreSQL server. */
export async function connectServer(url: string, connections: number): Promise<Connection> {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    types: { getTypeParser: parserOf },
  });
  // Without a listener, an idle connection that breaks would end the process; the next query reports it.
  pool.on("error", () => {});
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: pool as never }) });
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

const bigintType = 20;
const dateType = 1082;

/** Numbers that the hub counts fit a double; a day is text, since a Date would have a time zone. */
function parserOf(oid: number, format?: "text" | "binary"): (value: string) => unknown {
  if (oid === bigintType) return Number;
  if (oid === dateType) return String;
  return pg.types.getTypeParser(oid, format as "text") as (value: string) => unknown;
}
