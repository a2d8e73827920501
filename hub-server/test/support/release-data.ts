import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

import type { BlobStore } from "@envs/hub-server/src/platform/blobs/blob-store.ts";
import type { DatabaseConnection } from "@envs/hub-server/src/platform/database/connect.ts";
import { sql } from "kysely";

import type { TestHub } from "./hub.ts";

/** The data of a hub of a released version, and what a client read from it. */
export interface ReleaseData {
  /** Creates the tables with the migrations of the release, and inserts the rows. */
  readonly sql: string;
  /** Base64 by key. */
  readonly blobs: Readonly<Record<string, string>>;
  readonly token: string;
  /** Responses by path, in which `{hub}` stands for the URL of the hub. */
  readonly responses: Readonly<Record<string, unknown>>;
}

const folder = join(import.meta.dirname, "../fixtures/releases");
const migrations = join(import.meta.dirname, "../../migrations");

/** The versions whose data is saved. */
export async function savedReleases(): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.map((name) => name.replace(/\.json\.gz$/, "")).toSorted();
}

export async function readRelease(version: string): Promise<ReleaseData> {
  const bytes = await readFile(join(folder, `${version}.json.gz`));
  return JSON.parse(gunzipSync(bytes).toString()) as ReleaseData;
}

/** Saves the data of a hub on a PostgreSQL server, and what an anonymous client reads at `paths`. */
export async function saveRelease(
  version: string,
  server: TestHub,
  { token, paths }: { readonly token: string; readonly paths: readonly string[] },
): Promise<void> {
  const { blobs } = server.hub;
  const responses: Record<string, unknown> = {};
  for (const path of paths) {
    const text = await (await server.request(path)).text();
    responses[path] = JSON.parse(text.replaceAll(server.url, "{hub}"));
  }
  const saved: Record<string, string> = {};
  for await (const { key } of blobs.list())
    saved[key] = Buffer.from((await blobs.get(key))!).toString("base64");
  const names = (await readdir(migrations)).toSorted();
  const texts = await Promise.all(names.map((name) => readFile(join(migrations, name), "utf8")));
  const data: ReleaseData = {
    sql: [...texts, ...(await insertions(server.hub.connection))].join("\n"),
    blobs: saved,
    token,
    responses,
  };
  const file = join(folder, `${version}.json.gz`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, gzipSync(JSON.stringify(data), { level: 9 }));
}

/** Statements that insert the rows of all tables. Foreign keys are not checked, because tables are in alphabetical order. */
async function insertions({ database }: DatabaseConnection): Promise<readonly string[]> {
  const { rows: tables } = await sql<{ name: string; columns: string; sequence: string | null }>`
    select columns.table_name as name,
      string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns,
      max(case when is_identity = 'YES' then column_name end) as sequence
    from information_schema.columns
    where table_schema = 'public' and is_generated = 'NEVER'
    group by columns.table_name order by columns.table_name`.execute(database);
  const statements = [
    "create table if not exists migrations (name text primary key, hash text not null, applied_at timestamptz not null default now());",
    "set session_replication_role = replica;",
  ];
  for (const { name, columns, sequence } of tables) {
    const { rows } = await sql<{ rows: string | null }>`
      select json_agg(t)::text as rows from ${sql.table(name)} as t`.execute(database);
    const [{ rows: text } = { rows: null }] = rows;
    if (text === null) continue;
    const tag = `$rows_${createHash("sha256").update(text).digest("hex").slice(0, 8)}$`;
    statements.push(
      `insert into ${name} (${columns}) overriding system value select ${columns} from json_populate_recordset(null::${name}, ${tag}${text}${tag});`,
    );
    if (sequence !== null)
      statements.push(
        `select setval(pg_get_serial_sequence('${name}', '${sequence}'), (select max(${sequence}) from ${name}));`,
      );
  }
  return [...statements, "set session_replication_role = origin;"];
}

/** Creates the tables and blobs of a release in an empty database and store. */
export async function restoreRelease(
  data: ReleaseData,
  { connection, blobs }: { readonly connection: DatabaseConnection; readonly blobs: BlobStore },
): Promise<void> {
  await connection.execute(data.sql);
  for (const [key, text] of Object.entries(data.blobs))
    await blobs.put(key, Buffer.from(text, "base64"));
}
