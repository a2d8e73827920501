import { randomBytes } from "node:crypto";

import pg from "pg";

import { serviceUrl } from "./service.ts";

/** A database of a test's own. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

/**
 * Makes a database on a real PostgreSQL, which is gone when the test is. `prepare` fills the first that a run makes, and
 * the others are copies of it.
 */
export async function postgresDatabase(
  prepare?: (url: string) => Promise<void>,
): Promise<TestDatabase> {
  const server = await serviceUrl("postgres");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await asking(server, async (client) => {
    if (prepare !== undefined)
      await ensureTemplate(client, () => prepare(named(server, "prepared")));
    const template = prepare === undefined ? "template1" : "prepared";
    await client.query(`create database ${name} template ${template}`);
  });
  return {
    url: named(server, name),
    [Symbol.asyncDispose]: () =>
      asking(server, async (client) => {
        await client.query(`drop database ${name} with (force)`);
      }),
  };
}

/** One test file at a time gets here; the first makes the template. */
async function ensureTemplate(client: pg.Client, prepare: () => Promise<void>): Promise<void> {
  const lock = 20_261_121;
  await client.query("select pg_advisory_lock($1)", [lock]);
  try {
    const { rowCount } = await client.query("select from pg_database where datname = 'prepared'");
    if (rowCount !== 0) return;
    await client.query("create database prepared");
    try {
      await prepare();
    } catch (error) {
      await client.query("drop database prepared with (force)");
      throw error;
    }
  } finally {
    await client.query("select pg_advisory_unlock($1)", [lock]);
  }
}

async function asking(url: string, ask: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await ask(client);
  } finally {
    await client.end();
  }
}

function named(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = database;
  return url.href;
}
