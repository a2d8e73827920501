import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { sql } from "kysely";

import type { DatabaseConnection } from "./connect.ts";
import type { Database } from "./tables.ts";

const folder = join(import.meta.dirname, "../../../migrations");

/** The database's migrations differ from those of this version of the hub. */
class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/**
 * Applies the missing migrations in one transaction and returns their names. Forward only: throws a {@link MigrationError}
 * if an applied migration is changed or unknown.
 */
export async function migrate(connection: DatabaseConnection): Promise<readonly string[]> {
  const { database, execute, kind } = connection;
  // Replicas may start at the same time: the first one migrates, the others have nothing left to apply.
  await execute(
    `create table if not exists migrations (name text primary key, hash text not null, applied_at timestamptz not null default now())`,
  ).catch(ignoreRace);
  return await database.transaction().execute(async (transaction) => {
    if (kind === "server") await sql`lock table migrations in exclusive mode`.execute(transaction);
    const missing = await missingMigrations(transaction);
    for (const { name, hash, text } of missing) {
      for (const statement of statements(text)) await sql.raw(statement).execute(transaction);
      await sql`insert into migrations (name, hash) values (${name}, ${hash})`.execute(transaction);
    }
    return missing.map(({ name }) => name);
  });
}

interface Migration {
  readonly name: string;
  readonly hash: string;
  readonly text: string;
}

/** The migrations that a database with the table `migrations` lacks. Throws a {@link MigrationError} if it has others. */
export async function missingMigrations(database: Database): Promise<readonly Migration[]> {
  const available = await migrations();
  const applied = await sql<{
    name: string;
    hash: string;
  }>`select name, hash from migrations`.execute(database);
  const known = new Map(available.map(({ name, hash }) => [name, hash]));
  for (const { name, hash } of applied.rows)
    if (known.get(name) !== hash) throw new MigrationError(mismatch(name, known.has(name)));
  const done = new Set(applied.rows.map(({ name }) => name));
  return available.filter(({ name }) => !done.has(name));
}

/** The migrations of this version of the hub, in their order. */
export async function migrations(): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  return await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), "utf8");
      return { name, text, hash: createHash("sha256").update(text).digest("hex") };
    }),
  );
}

/** Splits at semicolons that end a line. No line in the body of a function may end with one. */
function statements(text: string): readonly string[] {
  return text
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replaceAll(/--.*$/gm, "").trim() !== "");
}

function mismatch(name: string, isKnown: boolean): string {
  return isKnown
    ? `The migration ${name} differs from the one that created this database. Start the version of the hub that created it, or restore a backup.`
    : `This database has the migration ${name}, which this version of the hub lacks. Start a newer version: migrations cannot be reverted.`;
}

/** If two processes create one table concurrently, PostgreSQL rejects one of the statements, and the table exists. */
function ignoreRace(error: unknown): void {
  const code = (error as { code?: string }).code;
  if (code !== "23505" && code !== "42P07") throw error;
}
