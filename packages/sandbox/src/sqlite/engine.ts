import initSqlite, { type Database, type Sqlite3Static } from "@sqlite.org/sqlite-wasm";

import type { Limits } from "../sandbox.ts";
import { RunTime } from "../time/run-time.ts";
import { authorizer } from "./authorizer.ts";
import { makeDeterministic } from "./deterministic.ts";

const memoryPage = 65_536;
/** The memory with which this build of SQLite starts, and the largest that it can address. */
const [minPages, maxPages] = [128, 32_768];
const databasePage = 8192;
/** The longest statement, in bytes. */
const maxStatement = 1_000_000;

/** The path of the database. Files at other paths are scripts. */
export const databasePath = "main.db";

/** Files of a sandbox by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** The options with which a database is opened. */
export interface OpenOptions {
  readonly readOnly: boolean;
  readonly files: Files;
  readonly limits: Limits;
}

/** An open database. */
export interface Engine {
  readonly sqlite: Sqlite3Static;
  readonly db: Database;
  readonly options: Omit<OpenOptions, "files">;
  /** The time of the running code. */
  readonly time: RunTime;
}

type Init = (options: {
  readonly wasmMemory: WebAssembly.Memory;
  print(): void;
  printErr(): void;
}) => Promise<Sqlite3Static>;

/**
 * Opens a database in memory. All of SQLite is in one WebAssembly memory with a maximum: an allocation above it fails inside
 * of SQLite, and the database remains usable.
 */
export async function openEngine({ files, ...options }: OpenOptions): Promise<Engine> {
  makeDeterministic();
  const { memory } = options.limits;
  const wasmMemory = new WebAssembly.Memory({
    initial: minPages,
    maximum: Math.min(maxPages, Math.max(minPages, Math.floor(memory / memoryPage))),
  });
  const silent = (): void => {};
  // The type declaration lacks the options of Emscripten.
  const init = initSqlite as unknown as Init;
  const sqlite = await init({ wasmMemory, print: silent, printErr: silent });
  const db = new sqlite.oo1.DB(":memory:", "c");
  const engine: Engine = { sqlite, db, options, time: new RunTime() };
  writeFiles(engine, files);
  return engine;
}

/** Executes scripts, or replaces the database. Only the model's code is restricted, not the host's files. */
export function writeFiles(engine: Engine, files: Files): void {
  const { sqlite, db, options } = engine;
  sqlite.capi.sqlite3_set_authorizer(db, 0 as never, 0);
  try {
    for (const [path, content] of Object.entries(files))
      if (path === databasePath) replaceDatabase(engine, content);
      else db.exec(typeof content === "string" ? content : new TextDecoder().decode(content));
    const pages = Math.max(1, Math.floor(options.limits.disk / databasePage));
    db.exec(`PRAGMA max_page_count = ${pages}`);
  } finally {
    restrict(engine);
  }
}

function replaceDatabase({ sqlite, db }: Engine, content: string | Uint8Array): void {
  const { capi, wasm } = sqlite;
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const size = bytes.byteLength;
  const flags = capi.SQLITE_DESERIALIZE_FREEONCLOSE | capi.SQLITE_DESERIALIZE_RESIZEABLE;
  const pointer = wasm.allocFromTypedArray(bytes);
  db.checkRc(capi.sqlite3_deserialize(db, "main", pointer, size, size, flags));
}

function restrict(engine: Engine): void {
  const { sqlite, db, options } = engine;
  const { capi } = sqlite;
  capi.sqlite3_limit(db, capi.SQLITE_LIMIT_ATTACHED, 0);
  capi.sqlite3_limit(db, capi.SQLITE_LIMIT_SQL_LENGTH, maxStatement);
  capi.sqlite3_db_config(db, capi.SQLITE_DBCONFIG_DEFENSIVE, 1, 0);
  capi.sqlite3_set_authorizer(db, authorizer(capi, options.readOnly), 0);
  capi.sqlite3_progress_handler(db, 1000, () => Number(engine.time.reached() !== undefined), 0);
}
