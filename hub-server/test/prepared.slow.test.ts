import type { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openEmbedded } from "../src/platform/database/embedded.ts";
import { preparedQuery } from "../src/platform/database/prepared.ts";

describe("prepared statements of the embedded database", () => {
  let database: PGlite;
  let run: ReturnType<typeof preparedQuery>;

  beforeAll(async () => {
    database = await openEmbedded();
    await database.exec("create table things (id int primary key, name text)");
    run = preparedQuery(database);
  });
  afterAll(() => database.close());

  test("return the same rows as the database's own query", async () => {
    const sql = `select $1::text as text, $2::bigint as big, $3::timestamptz as at, $4::text[] as list, $5::jsonb as json,
      $6::boolean as yes, $7::int[] as numbers, $8::text as nothing, $9::uuid as id`;
    const values = [
      `'"\\ ü`,
      9_007_199_254_740_991,
      new Date("2026-02-03T04:05:06.789Z"),
      ["a,b", '"', "", "null"],
      JSON.stringify({ a: [1, "x"] }),
      true,
      [1, 2],
      null,
      "2b1cb8b4-7a0a-4b8f-9f0e-2f1d7e1f8a11",
    ];
    const own = await database.query(sql, values);
    for (const _again of [1, 2, 3]) {
      const { rows, fields } = await run(sql, values);
      expect({ rows, fields }).toEqual({ rows: own.rows, fields: own.fields });
    }
  });

  test("return the number of changed rows", async () => {
    const insert = "insert into things select g, 'x' from generate_series($1::int, $2::int) g";
    expect(await run(insert, [10, 12])).toMatchObject({ affectedRows: 3, rows: [] });
    expect(await run("delete from things where id >= $1", [10])).toMatchObject({ affectedRows: 3 });
  });

  test("leave the connection usable after an error", async () => {
    const insert = "insert into things (id, name) values ($1, $2)";
    await run(insert, [1, "one"]);
    for (const _again of [1, 2]) {
      await expect(run(insert, [1, "again"])).rejects.toMatchObject({
        code: "23505",
        constraint: "things_pkey",
      });
      await expect(run("select nonsense from things", [])).rejects.toMatchObject({ code: "42703" });
      await expect(run(insert, ["no number", "x"])).rejects.toMatchObject({ code: "22P02" });
    }
    expect((await run("select name from things", [])).rows).toEqual([{ name: "one" }]);
  });

  test("roll back a failed transaction", async () => {
    await run("begin", []);
    await run("insert into things (id, name) values ($1, $2)", [7, "seven"]);
    await expect(run("select 1 / $1::int", [0])).rejects.toMatchObject({ code: "22012" });
    await expect(run("select name from things", [])).rejects.toMatchObject({ code: "25P02" });
    await run("rollback", []);
    expect((await run("select name from things where id = $1", [7])).rows).toEqual([]);
  });

  test("do not accumulate", async () => {
    for (let index = 0; index < 600; index += 1) await run(`select ${index} as n`, []);
    const { rows } = await run("select count(*)::int as count from pg_prepared_statements", []);
    // The cache, and the statement that is closed before the next is prepared.
    expect(rows).toEqual([{ count: 501 }]);
    expect((await run("select 0 as n", [])).rows).toEqual([{ n: 0 }]);
  });
});
