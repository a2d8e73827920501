import type { PGlite } from "@electric-sql/pglite";
import pLimit from "p-limit";
import { type Db, fromPglite, PgBoss } from "pg-boss";
import { NIL as nil } from "uuid";

import { jobSchema, tables } from "./schema.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Runs statements, alone or inside a transaction. pg-boss accepts it as its `db`. */
export type Statements = Pick<Db, "executeSql">;

/** pg-boss and our own tables in one database. */
export interface Database extends AsyncDisposable {
  readonly boss: PgBoss;
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Inside it, use only `db`: the embedded database has one connection. */
  transaction<Result>(work: (db: Statements) => Promise<Result>): Promise<Result>;
  /**
   * Makes pg-boss remember a queue, so that it does not look it up inside a transaction. Creating a queue clears this cache.
   * Throws if the queue does not exist.
   */
  known(queue: string, options?: { readonly isCreated: boolean }): Promise<void>;
  /** Calls `onNotify` for each notification, and after each time that some may have been lost. */
  listen(channel: string, onNotify: () => void): Promise<() => Promise<void>>;
}

/** The time after which a lease without heartbeats is lost, and the interval of that check. */
const supervision = { superviseIntervalSeconds: 5, monitorIntervalSeconds: 5 };

/** The time limit of a query in milliseconds. A connection whose packets are lost reports no error. */
const queryTimeoutMs = 60_000;

/**
 * A transaction whose client is cut off ends soon: readers of results wait for it. A commit reaches the disk before it is
 * visible, regardless of the server's default, so that a coordinator never counts rows that a crash can undo.
 */
const transactionSettings = `select set_config('idle_in_transaction_session_timeout', '15s', true),
  set_config('synchronous_commit', replace(current_setting('synchronous_commit'), 'off', 'on'), true)`;

/** Connects to a PostgreSQL server, and creates missing tables. `connections` is the size of the pool, at least 2. */
export async function connectServer(url: string, connections: number): Promise<Database> {
  const options = {
    connectionString: url,
    application_name: "envs",
    max: Math.max(2, connections),
    query_timeout: queryTimeoutMs,
    schema: jobSchema,
    schedule: false,
    ...supervision,
  };
  const boss = new PgBoss(options);
  // Reserves a connection: inside a transaction, pg-boss may look up a forgotten queue on another one.
  const limit = pLimit(options.max - 1);
  const withTransaction: Database["transaction"] = (work) =>
    limit(async () => {
      const transaction = await boss.getDb().beginTransaction!();
      try {
        await transaction.db.executeSql(transactionSettings);
        const result = await work(transaction.db);
        await transaction.commit();
        return result;
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
    });
  return await startDatabase(boss, withTransaction, async () => {});
}

/** Uses PostgreSQL in this process. Disposing closes it. */
export async function connectEmbedded(pglite: PGlite): Promise<Database> {
  const boss = new PgBoss({
    db: fromPglite(pglite),
    backend: "pglite",
    schema: jobSchema,
    schedule: false,
    ...supervision,
  });
  const withTransaction: Database["transaction"] = (work) =>
    pglite.transaction((transaction) =>
      work({
        executeSql: async (sql, values) =>
          values === undefined
            ? { rows: (await transaction.exec(sql)).flatMap(({ rows }) => rows) }
            : await transaction.query(sql, values),
      }),
    );
  return await startDatabase(boss, withTransaction, () => pglite.close());
}

async function startDatabase(
  boss: PgBoss,
  withTransaction: Database["transaction"],
  close: () => Promise<void>,
): Promise<Database> {
  // Ignores errors of pg-boss's timers and its listening connection, both of which retry.
  boss.on("error", () => {});
  try {
    await boss.start();
    // Locks, because several processes may start at once.
    await boss
      .getDb()
      .executeSql(`begin; select pg_advisory_xact_lock(20261123); ${tables} commit;`);
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {});
    await close();
    throw error;
  }
  const known = new Set<string>();
  const query: Database["query"] = async (sql, values = []) => {
    const { rows } = await boss.getDb().executeSql(sql, [...values]);
    return rows as readonly Row[];
  };
  return {
    boss,
    query,
    async known(name, { isCreated } = { isCreated: false }) {
      if (known.has(name) && !isCreated) return;
      await boss.findJobs(name, { id: nil });
      known.add(name);
    },
    transaction: withTransaction,
    async listen(channel, onNotify) {
      const handle = await boss.getDb().listen!(channel, onNotify, onNotify);
      return () => handle.close();
    },
    async [Symbol.asyncDispose]() {
      await boss.stop({ graceful: false });
      await close();
    },
  };
}
