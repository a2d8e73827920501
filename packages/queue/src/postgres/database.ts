import type { PGlite } from "@electric-sql/pglite";
import { type Db, fromPglite, PgBoss } from "pg-boss";
import { NIL as nil } from "uuid";

import { jobSchema, tables } from "./schema.ts";
import { whileAvailable } from "./unavailable.ts";

export type Row = Readonly<Record<string, unknown>>;

/** Runs statements, alone or inside a transaction. pg-boss accepts it as its `db`. */
export type Statements = Pick<Db, "executeSql">;

/** pg-boss and our own tables in one database. */
export interface Database extends AsyncDisposable {
  readonly boss: PgBoss;
  query(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Inside it, use only `db`: the embedded database has one connection. */
  transaction<Result>(work: (db: Statements) => Promise<Result>): Promise<Result>;
  /** Runs a call of pg-boss. */
  call<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Makes pg-boss remember a queue, so that it does not look it up inside a transaction. Throws if the queue does not exist. */
  known(queue: string): Promise<void>;
  /** Calls `onNotify` for each notification, and after each time that some may have been lost. */
  listen(channel: string, onNotify: () => void): Promise<() => Promise<void>>;
}

/** How soon a lease without heartbeats is lost, and how often that is checked. */
const supervision = { superviseIntervalSeconds: 5, monitorIntervalSeconds: 5 };

/** Connects to a PostgreSQL server, and creates what is missing. `connections` is the size of the pool. */
export async function connectServer(url: string, connections: number): Promise<Database> {
  const boss = new PgBoss({
    connectionString: url,
    application_name: "envs",
    max: connections,
    schema: jobSchema,
    schedule: false,
    ...supervision,
  });
  const withTransaction: Database["transaction"] = async (work) => {
    const transaction = await boss.getDb().beginTransaction!();
    try {
      const result = await work(transaction.db);
      await transaction.commit();
      return result;
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  };
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
  // Errors of its timers and of its listening connection: both try again.
  boss.on("error", () => {});
  try {
    await whileAvailable(() => boss.start());
    // Several processes may start at once.
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
    const { rows } = await whileAvailable(() => boss.getDb().executeSql(sql, [...values]));
    return rows as readonly Row[];
  };
  return {
    boss,
    query,
    call: whileAvailable,
    async known(name) {
      if (known.has(name)) return;
      await whileAvailable(() => boss.findJobs(name, { id: nil }));
      known.add(name);
    },
    transaction: (work) => whileAvailable(() => withTransaction(work)),
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
