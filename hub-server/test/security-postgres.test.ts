import { setTimeout as sleep } from "node:timers/promises";

import pg from "pg";
import { expect, test } from "vitest";

import { connectServer } from "../src/platform/database/connect.ts";
import { postgresDatabase } from "./support/postgres.ts";

test("a dropped connection fails its query, but does not end the process", async () => {
  await using server = await postgresDatabase();
  const connection = await connectServer(server.url, 3);
  const uncaught: unknown[] = [];
  const onUncaught = (error: unknown): void => void uncaught.push(error);
  process.on("uncaughtException", onUncaught);
  const operator = new pg.Client(server.url);
  await operator.connect();
  try {
    const openTransaction = connection.database
      .transaction()
      .execute(async () => await sleep(300))
      .catch((error: unknown) => error);
    await sleep(50);
    await operator.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
    );
    expect(await openTransaction).toBeInstanceOf(Error);
    const { database } = connection;
    const query = database.selectNoFrom((row) => row.lit(1).as("one"));
    // The pool may hand out the dropped connection until it notices.
    await expect.poll(() => query.executeTakeFirst(), { timeout: 120_000 }).toEqual({ one: 1 });
    expect(uncaught).toEqual([]);
  } finally {
    process.off("uncaughtException", onUncaught);
    await operator.end();
    await connection.close();
  }
});
