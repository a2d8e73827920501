import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { sql } from "kysely";

import type { Connection } from "./connect.ts";

const folder = join(import.meta.dirname, "../../../migrations");

/** The database was migrated by another version of the hub than this one. */
class MigrationError extends Error {
  override readonly name = "MigrationError";
}

/** Brings a database to this version of the hub. Forward only: a changed or unknown migration is an error, and changes nothing. */
export async function migrate(connection: Connection): Promise<readonly string[]> {
  const { database, execute, kind } = connection;
  // Replicas start together; the first one migrates, the others find it done.
  await execute(
    `create table if not exists migrations (name text primary key, hash text not null, applied_at timestamptz not null default now())`,
  ).catch(ignoreRace);
  const wanted = await migrations();
  return await database.transaction().execute(async (transaction) => {
    if (kind === "server") await sql`lock table migrations in exclusive mode`.execute(transaction);
    const applied = await sql<{
      name: string;
      hash: string;
    }>`select name, hash from migrations`.execute(transaction);
    const known = new Map(wanted.map(({ name, hash }) => [name, hash]));
    for (const { name, hash } of applied.rows)
      if (known.get(name) !== hash) throw new MigrationError(reasonAgainst(name, known.has(name)));
    const done = new Set(applied.rows.map(({ name }) => name));
    const missing = wanted.filter(({ name }) => !done.has(name));
    for (const { name, hash, text } of missing) {
      for (const statement of statements(text)) await sql.raw(statement).execute(transaction);
      await sql`insert into migrations (name, hash) values (${name}, ${hash})`.execute(transaction);
    }
    return missing.map(({ name }) => name);
  });
}

async function migrations(): Promise<{ name: string; hash: string; text: string }[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  return await Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), "utf8");
      return { name, text, hash: createHash("sha256").update(text).digest("hex") };
    }),
  );
}

/** A migration ends each statement with a semicolon at the end of a line; none holds a function body. */
function statements(text: string): readonly string[] {
  return text
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter((statement) => statement.replaceAll(/--.*$/gm, "").trim() !== "");
}

function reasonAgainst(name: string, isKnown: boolean): string {
  return isKnown
    ? `The migration ${name} is not the one that this database was made with. Start the version of the hub that made it, or restore a backup.`
    : `This database has the migration ${name}, which this version of the hub does not know. Start a newer version; migrations only go forward.`;
}

/** Two processes that create one table at the same moment: PostgreSQL fails one of them, and the table is there. */
function ignoreRace(error: unknown): void {
  const code = (error as { code?: string }).code;
  if (code !== "23505" && code !== "42P07") throw error;
}
