import { randomBytes } from "node:crypto";

import pg from "pg";

import { serviceUrl } from "./service-url.ts";

/** An empty or prepared database of one test. Disposing drops it. */
export interface TestDatabase extends AsyncDisposable {
  readonly url: string;
}

/** Creates a database on the run's PostgreSQL. `prepare` fills a template once per run; each database is a copy of it. */
export async function postgresDatabase(
  prepare?: (url: string) => Promise<void>,
): Promise<TestDatabase> {
  const server = await serviceUrl("postgres");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await withClient(server, async (client) => {
    if (prepare !== undefined)
      await ensureTemplate(client, () => prepare(databaseUrl(server, "prepared")));
    const template = prepare === undefined ? "template1" : "prepared";
    await client.query(`create database ${name} template ${template}`);
  });
  return {
    url: databaseUrl(server, name),
    [Symbol.asyncDispose]: () =>
      withClient(server, async (client) => {
        await client.query(`drop database ${name} with (force)`);
      }),
  };
}

/** The lock lets one test file at a time create the template. */
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

async function withClient(url: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}

function databaseUrl(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = database;
  return url.href;
}
