import type { PGlite } from "@electric-sql/pglite";
import { Kysely, PostgresDialect, type RawBuilder, sql } from "kysely";

import { embeddedPool } from "./embedded-pool.ts";
import type { Listener, Listening } from "./listen.ts";
import type { Database, Tables } from "./tables.ts";

/** An open connection to the embedded database or to a server. */
export interface DatabaseConnection {
  readonly kind: "embedded" | "server";
  readonly database: Database;
  /** Runs a text with several SQL statements, such as a migration. */
  readonly execute: (sql: string) => Promise<void>;
  /** Receives the notifications of all replicas on a channel (LISTEN). Call it once. */
  listen(channel: string, listener: Listener): Promise<void>;
  /** Waits until the listener has received the notifications of every change that a replica acknowledged before the call. */
  catchUp(): Promise<void>;
  /** Resolves with the cause if the database has stopped for good. Never resolves for a server, which may return. */
  readonly failure: Promise<Error>;
  close(): Promise<void>;
}

/** Opens the embedded database of a data folder. */
export async function connectEmbedded(pglite: PGlite): Promise<DatabaseConnection> {
  const pool = embeddedPool(pglite);
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const endUpkeep = keepUp(database);
  return {
    kind: "embedded",
    database,
    execute: pool.execute,
    failure: pool.failure,
    listen: async (channel, { message }) => void (await pglite.listen(channel, message)),
    // Needs no listener, because this process makes all changes.
    catchUp: async () => {},
    async close() {
      endUpkeep();
      await database.destroy();
    },
  };
}

/** Opens connections to a PostgreSQL server. */
export async function connectServer(url: string, connections: number): Promise<DatabaseConnection> {
  const [{ serverPool }, { listenTo }] = await Promise.all([
    import("./server-pool.ts"),
    import("./listen.ts"),
  ]);
  const pool = serverPool(url, connections);
  const database = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  let listening: Listening | undefined;
  return {
    kind: "server",
    database,
    execute: async (text) => void (await sql.raw(text).execute(database)),
    failure: new Promise(() => {}),
    async listen(channel, listener) {
      listening = await listenTo(url, channel, listener);
    },
    catchUp: async () => await listening?.catchUp(),
    async close() {
      await listening?.stop();
      await database.destroy();
    },
  };
}

/** PostgreSQL's default `checkpoint_timeout`. PGlite has no checkpointer process. */
const intervalMs = 5 * 60_000;
/** After the start, whose first requests should not wait. */
const firstRunMs = 10_000;
/** The maximum size of the write-ahead log between checkpoints: replaying it at start-up is fast. */
const maxLogBytes = 16 * 2 ** 20;

/**
 * Runs CHECKPOINT if the write-ahead log has grown beyond 16 MiB since the last one. The embedded database otherwise does so
 * only on close: its log would grow, and the start after a kill would replay all of it. Returns whether it ran.
 */
export async function checkpoint(database: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ logged: number }>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as logged from pg_control_checkpoint()
  `.execute(database);
  const isDue = rows.some(({ logged }) => logged > maxLogBytes);
  if (isDue) await sql`checkpoint`.execute(database);
  return isDue;
}

/** The number of changed rows, and their share of a table, after which the planner's statistics are read again. */
const [maxStaleRows, maxStaleShare] = [500, 0.1];

/**
 * Runs ANALYZE for tables that have changed much since the last one, and returns their names. The embedded database has no
 * autovacuum: without statistics, the planner reads all of 100,000 versions for the newest fifty.
 */
export async function analyze(database: Kysely<Tables>): Promise<readonly string[]> {
  const names = await tablesWith(
    database,
    sql`n_mod_since_analyze > ${maxStaleRows}::float8 + ${maxStaleShare}::float8 * greatest(reltuples, 0)`,
  );
  // One statement each, so that requests between them do not wait for all.
  for (const name of names) await sql`analyze ${sql.table(name)}`.execute(database);
  return names;
}

/** The number of deleted and replaced rows, and their share of a table, after which their space is used again. */
const [maxDeadRows, maxDeadShare] = [1000, 0.2];

/**
 * Runs VACUUM for tables with many deleted rows, and returns their names. Otherwise, a table whose rows come and go, such as the
 * sessions, would grow forever.
 */
export async function vacuum(database: Kysely<Tables>): Promise<readonly string[]> {
  const names = await tablesWith(
    database,
    sql`n_dead_tup > ${maxDeadRows}::float8 + ${maxDeadShare}::float8 * greatest(reltuples, 0)`,
  );
  for (const name of names) await sql`vacuum ${sql.table(name)}`.execute(database);
  return names;
}

async function tablesWith(
  database: Kysely<Tables>,
  condition: RawBuilder<unknown>,
): Promise<readonly string[]> {
  // Otherwise, PostgreSQL counts the changes of the last second later.
  await sql`select pg_stat_force_next_flush()`.execute(database);
  const { rows } = await sql<{ name: string }>`
    select pg_class.relname as name from pg_stat_user_tables join pg_class on pg_class.oid = relid
    where ${condition}
  `.execute(database);
  return rows.map(({ name }) => name);
}

/** Calls {@link checkpoint}, {@link analyze} and {@link vacuum} soon after the start, and every five minutes. Returns a function that stops it. */
function keepUp(database: Kysely<Tables>): () => void {
  const run = async (): Promise<void> => {
    await checkpoint(database);
    await analyze(database);
    await vacuum(database);
  };
  // Ignores errors: the next run includes a failed one.
  const upkeep = (): void => void run().catch(() => {});
  const timers = [setTimeout(upkeep, firstRunMs).unref(), setInterval(upkeep, intervalMs).unref()];
  return () => timers.forEach((timer) => clearTimeout(timer));
}
