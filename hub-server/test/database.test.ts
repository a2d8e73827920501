import { sql } from "kysely";
import { describe, expect, test } from "vitest";

import { databases, testHub } from "./support/hub.ts";

describe.each(databases)("on the %s database", (kind) => {
  test("a concurrent query does not see uncommitted changes", async () => {
    await using server = await testHub(kind);
    const { database } = server.hub;
    let concurrentQuery: Promise<unknown> | undefined;
    const rollback = database.transaction().execute(async (transaction) => {
      const now = server.hub.clock();
      await transaction
        .insertInto("accounts")
        .values({ name: "ghost", kind: "user", created_at: now })
        .execute();
      concurrentQuery = database.selectFrom("accounts").selectAll().execute();
      throw new Error("not meant to last");
    });
    await expect(rollback).rejects.toThrow("not meant to last");
    expect(await concurrentQuery).toEqual([]);
  });

  test("concurrent transactions are isolated", async () => {
    await using server = await testHub(kind);
    const { database } = server.hub;
    const names = Array.from({ length: 20 }, (_, index) => `user-${index}`);
    const transactions = names.map((name, index) =>
      database.transaction().execute(async (transaction) => {
        await transaction
          .insertInto("accounts")
          .values({ name, kind: "user", created_at: server.hub.clock() })
          .execute();
        await sql`select pg_sleep(0.002)`.execute(transaction);
        if (index % 2 === 1) throw new Error("odd");
      }),
    );
    await Promise.allSettled(transactions);
    const committed = await database.selectFrom("accounts").select("name").execute();
    expect(committed.map(({ name }) => name).sort()).toEqual(
      names.filter((_, index) => index % 2 === 0).sort(),
    );
  });

  test("returns counts as numbers, days as text and timestamps as dates", async () => {
    await using server = await testHub(kind);
    const { rows } =
      await sql`select 7::bigint as count, date '2026-02-03' as day, now() as at, '{"a":[1]}'::jsonb as json`.execute(
        server.hub.database,
      );
    expect(rows).toEqual([{ count: 7, day: "2026-02-03", at: expect.any(Date), json: { a: [1] } }]);
  });

  test("returns a JSON error for an unknown route", async () => {
    await using server = await testHub(kind);
    const ping = await server.request("/-/ping");
    expect([ping.status, await ping.json()]).toEqual([200, {}]);
    const missing = await server.request("/-/nothing/here");
    expect([missing.status, await missing.json()]).toMatchObject([404, { code: "not-found" }]);
  });
});
