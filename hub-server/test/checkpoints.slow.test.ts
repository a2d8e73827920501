import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { sql } from "kysely";
import { expect, test } from "vitest";

import { analyze, checkpoint, connectEmbedded, vacuum } from "../src/platform/database/connect.ts";
import { openEmbedded } from "../src/platform/database/embedded.ts";

test("the embedded database truncates a long log without losing data", async () => {
  const folder = await mkdtemp(join(tmpdir(), "envs-checkpoints-"));
  try {
    const connection = await connectEmbedded(await openEmbedded(folder));
    const { database } = connection;
    expect(await checkpoint(database)).toBe(false);
    await sql`create table lines (line text)`.execute(database);
    for (let round = 0; round < 3; round += 1)
      await sql`insert into lines select repeat(md5(n::text), 30) from generate_series(1, 30000) n`.execute(
        database,
      );
    expect(await checkpoint(database)).toBe(true);
    expect(await checkpoint(database)).toBe(false);
    const { rows } = await sql`select count(*)::int as count from lines`.execute(database);
    expect(rows).toEqual([{ count: 90_000 }]);
    await connection.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("the embedded database reads statistics of tables that have changed much, and no others", async () => {
  const connection = await connectEmbedded(await openEmbedded());
  const { database } = connection;
  await sql`create table small (n int)`.execute(database);
  await sql`create table large (n int)`.execute(database);
  const add = (count: number) =>
    sql`insert into large select generate_series(1, ${count}::int)`.execute(database);
  await sql`insert into small values (1)`.execute(database);
  await add(2000);
  expect(await analyze(database)).toEqual(["large"]);
  expect(await analyze(database)).toEqual([]);
  await add(600);
  expect(await analyze(database)).toEqual([]);
  await add(200);
  expect(await analyze(database)).toEqual(["large"]);
  await connection.close();
});

test("the embedded database uses the space of deleted rows again", async () => {
  const connection = await connectEmbedded(await openEmbedded());
  const { database } = connection;
  await sql`create table visits (id text primary key)`.execute(database);
  const sizes: number[] = [];
  for (let round = 0; round < 6; round += 1) {
    await sql`delete from visits`.execute(database);
    await sql`insert into visits select md5(${round}::text || n) from generate_series(1, 2000) n`.execute(
      database,
    );
    expect(await vacuum(database)).toEqual(round === 0 ? [] : ["visits"]);
    const { rows } = await sql<{ bytes: number }>`
      select pg_total_relation_size('visits')::int as bytes
    `.execute(database);
    sizes.push(rows[0]!.bytes);
  }
  expect(sizes[5]).toBeLessThan(sizes[0]! * 3);
  await connection.close();
});
