import { ConfigError } from "@envs/core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";

import type { Sandbox, SandboxOptions, SandboxProvider } from "../src/sandbox.ts";
import { sqlite } from "../src/sqlite/sqlite.ts";

const limits = { ms: 300, memory: 32 * 1024 ** 2, output: 2000, disk: 1024 ** 2 };
const files = {
  "pets.sql":
    "CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT, weight REAL); INSERT INTO pets VALUES (1, 'Ada', 4.5), (2, NULL, 2), (3, 'Bo', NULL);",
};
const endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";

/** Creates a sandbox for one test. */
async function open(provider: SandboxProvider, options?: SandboxOptions): Promise<Sandbox> {
  const created = await provider.create(options);
  onTestFinished(() => created[Symbol.asyncDispose]());
  return created;
}

let box: Sandbox;
let reader: Sandbox;

beforeAll(async () => {
  box = await sqlite().create({ files, limits });
  reader = await sqlite({ readOnly: true }).create({ files, limits });
});

afterAll(async () => {
  await box[Symbol.asyncDispose]();
  await reader[Symbol.asyncDispose]();
});

describe("a run", () => {
  test("it returns the rows of the last statement, and all rows as text", async () => {
    expect(await box.run("SELECT count(*) AS n FROM pets; SELECT * FROM pets -- all")).toEqual({
      stdout: "n\n3\nid|name|weight\n1|Ada|4.5\n2|NULL|2\n3|Bo|NULL\n",
      stderr: "",
      value: {
        columns: ["id", "name", "weight"],
        rows: [
          [1, "Ada", 4.5],
          [2, null, 2],
          [3, "Bo", null],
        ],
      },
      exitCode: 0,
      timedOut: false,
      outOfMemory: false,
      truncated: false,
      reset: false,
    });
  });

  test("it writes values that JSON lacks as SQL does", async () => {
    const { value } = await box.run(
      "SELECT 9007199254740993, 1e999, x'0aff', 'a' || char(0) || 'b'",
    );
    expect(value).toMatchObject({ rows: [["9007199254740993", "Infinity", "x'0aff'", "a\0b"]] });
  });

  test("it stops at the first statement that fails", async () => {
    const result = await box.run("SELECT 1; SELECT nope; SELECT 2");
    expect(result).toMatchObject({ stdout: "1\n1\n", value: undefined, exitCode: 1 });
    expect(result.stderr).toBe("Error: no such column: nope\n");
  });

  test.each(["", " -- nothing", ";;"])("it accepts %j", async (code) => {
    expect(await box.run(code)).toMatchObject({ stdout: "", value: undefined, exitCode: 0 });
  });

  test("it rejects a NUL character, behind which SQLite would read nothing", async () => {
    expect(await box.run("SELECT 1;\0 SELECT 2")).toMatchObject({ stdout: "", exitCode: 1 });
  });

  test("keeps nothing of the previous database of its thread", async () => {
    const first = await sqlite().create();
    await first.run("CREATE TABLE secrets AS SELECT 1 AS i; CREATE TEMP TABLE t AS SELECT 2 AS i");
    await first[Symbol.asyncDispose]();
    await using second = await sqlite().create();
    const { value } = await second.run(
      "SELECT count(*) AS tables FROM (SELECT * FROM sqlite_schema UNION ALL SELECT * FROM sqlite_temp_schema)",
    );
    expect(value).toEqual({ columns: ["tables"], rows: [[0]] });
  });

  test("it sees the same time and the same random numbers in every database", async () => {
    const code = "SELECT random(), hex(randomblob(4)), datetime('now', 'localtime')";
    const first = await open(sqlite());
    const second = await open(sqlite());
    const { stdout } = await first.run(code);
    expect((await second.run(code)).stdout).toBe(stdout);
    expect(stdout).toContain("2026-01-01 00:00:00");
  });
});

describe("a limit", () => {
  test.each([
    ["an endless query", `${endless} SELECT count(*) FROM n`],
    [
      "a cross join",
      "SELECT count(*) FROM pragma_function_list a, pragma_function_list b, pragma_function_list c, pragma_function_list d",
    ],
    ["an endless insertion", `CREATE TEMP TABLE t AS ${endless} SELECT NULL FROM n LIMIT -1`],
  ])("it interrupts %s, and keeps the database", async (_, code) => {
    const result = await box.run(code, { ms: 100 });
    expect(result.exitCode).toBe(1);
    // A table without an end may reach the limit of memory first.
    expect(result.timedOut || result.outOfMemory || result.stderr.includes("full")).toBe(true);
    expect(await box.run("SELECT count(*) FROM pets")).toMatchObject({ exitCode: 0 });
  });

  test.each([
    "SELECT length(randomblob(1000000000))",
    "SELECT zeroblob(900000000)",
    "SELECT hex(zeroblob(20000000))",
    "SELECT replace(hex(zeroblob(4000000)), '0', 'abcdefgh')",
    "SELECT printf('%.*c', 40000000, 'x')",
    `${endless} SELECT group_concat(zeroblob(100000)) FROM n`,
  ])("it ends %s with outOfMemory, and keeps the database", async (code) => {
    expect(await box.run(code)).toMatchObject({ outOfMemory: true, exitCode: 1, reset: false });
    expect(await box.run("SELECT count(*) FROM pets")).toMatchObject({ exitCode: 0 });
  });

  test.each([
    ["rows", `${endless} SELECT i FROM n`],
    ["a text", "SELECT hex(zeroblob(1000000))"],
    ["a blob", "SELECT zeroblob(1000000)"],
    ["the name of a column", `SELECT 1 AS "${"x".repeat(100_000)}"`],
    ["an error", `SELECT "${"x".repeat(100_000)}"`],
  ])("it cuts %s at the limit of the output", async (_, code) => {
    const { stdout, stderr, truncated, exitCode } = await box.run(code);
    expect(truncated || exitCode === 1).toBe(true);
    expect(Buffer.byteLength(stdout)).toBeLessThan(limits.output + 10);
    expect(Buffer.byteLength(stderr)).toBeLessThanOrEqual(limits.output);
  });

  test("it ends the thread of an instruction that cannot be interrupted, and resets the database", async () => {
    const code =
      "DROP TABLE pets; SELECT instr(printf('%.*c', 3000000, 'a'), printf('%.*c', 1000000, 'a') || 'b')";
    expect(await box.run(code)).toMatchObject({
      timedOut: true,
      reset: true,
      exitCode: 137,
      stderr: "Error: The run exceeded its limit of 300 ms of CPU time. The database was reset.\n",
    });
    expect(await box.run("SELECT count(*) FROM pets")).toMatchObject({ stdout: "count(*)\n3\n" });
  });

  test("it stops a database that grows above the limit of the disk", async () => {
    const { stderr } = await box.run(
      "CREATE TABLE big AS SELECT randomblob(900000) UNION ALL SELECT randomblob(900000)",
    );
    expect(stderr).toBe("Error: database or disk is full\n");
  });
});

describe("SQL cannot reach", () => {
  test.each([
    "ATTACH '/etc/passwd' AS host",
    "ATTACH ':memory:' AS other",
    "VACUUM INTO '/tmp/copy.db'",
    "PRAGMA temp_store = FILE",
    "PRAGMA writable_schema = 1",
    "PRAGMA max_page_count = 1000000",
    "PRAGMA hard_heap_limit = 0",
    "SELECT load_extension('x')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('/tmp/x', 'x')",
    "UPDATE sqlite_schema SET sql = ''",
  ])("beyond its database by %s", async (code) => {
    const { exitCode, stderr } = await box.run(code);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(
      /not authorized|authorization denied|no such function|may not be modified/u,
    );
  });

  test.each([
    "DELETE FROM pets",
    "DROP TABLE pets",
    "CREATE TEMP TABLE pets (id)",
    "CREATE VIEW v AS SELECT 1",
    "CREATE VIRTUAL TABLE f USING fts5(x)",
    "BEGIN",
    "SAVEPOINT a",
    "ANALYZE",
    "PRAGMA user_version = 3",
    "PRAGMA foreign_keys = OFF",
    "ALTER TABLE pets ADD COLUMN age",
  ])("a readOnly database by %s", async (code) => {
    expect(await reader.run(code)).toMatchObject({ exitCode: 1 });
  });

  test.each([
    "PRAGMA table_info(pets)",
    "SELECT * FROM pragma_table_info('pets')",
    "SELECT sql FROM sqlite_schema",
    "EXPLAIN QUERY PLAN SELECT * FROM pets",
    "VALUES (1), (2)",
  ])("a readOnly database, but can describe it by %s", async (code) => {
    expect(await reader.run(code)).toMatchObject({ exitCode: 0, value: expect.anything() });
  });
});

describe("a sandbox", () => {
  test("it reads and writes the database as an image, and executes scripts", async () => {
    const source = await open(sqlite(), { files });
    await source.run("DELETE FROM pets WHERE id > 1");
    await source.write("more.sql", "INSERT INTO pets VALUES (9, 'Zoe', 1)");
    const image = await source.read("main.db");
    const copy = await open(sqlite({ readOnly: true }), { files: { "main.db": image } });
    expect((await copy.run("SELECT name FROM pets")).stdout).toBe("name\nAda\nZoe\n");
    await copy.write("even-more.sql", "INSERT INTO pets VALUES (10, 'Kim', 1)");
    expect((await copy.run("SELECT count(*) AS n FROM pets")).stdout).toBe("n\n3\n");
    expect(await copy.run("DELETE FROM pets")).toMatchObject({ exitCode: 1 });
    await expect(copy.read("other.db")).rejects.toThrow("a database has one file, main.db");
  });

  test("it rejects a script that fails, with the error of SQLite", async () => {
    const broken = sqlite().create({ files: { "a.sql": "INSERT INTO nowhere VALUES (1)" } });
    await expect(broken).rejects.toThrow("no such table: nowhere");
  });

  test("it rejects functions of the host", async () => {
    await expect(sqlite().create({ functions: { ask: () => 1 } })).rejects.toThrow(ConfigError);
  });

  test("it ends a run that is aborted, and the next run starts anew", async () => {
    const reason = new Error("cancelled");
    const controller = new AbortController();
    const run = reader.run(`${endless} SELECT count(*) FROM n`, { signal: controller.signal });
    controller.abort(reason);
    await expect(run).rejects.toBe(reason);
    expect(await reader.run("SELECT 1")).toMatchObject({ exitCode: 0 });
  });

  test("it rejects runs after its disposal", async () => {
    const closed = await sqlite().create();
    await closed[Symbol.asyncDispose]();
    await expect(closed.run("SELECT 1")).rejects.toThrow("The database is closed.");
  });
});
