import { type Kysely, sql } from "kysely";

import type { Tables } from "./tables.ts";

/** PostgreSQL's default `checkpoint_timeout`. PGlite has no checkpointer process. */
const intervalMs = 5 * 60_000;
/** The maximum size of the write-ahead log between checkpoints: replaying it at start-up is fast. */
const maxLogBytes = 16 * 2 ** 20;

/**
 * Runs CHECKPOINT if the write-ahead log has grown beyond 16 MiB since the last one. The embedded database otherwise does so
 * only on close: its log would grow, and the start after a kill would replay all of it. Returns whether it ran.
 */
export async function checkpoint(database: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ logged: number }>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as logged from pg_control_checkpoint()
  `.execute(database);
  const isDue = rows.some(({ logged }) => logged > maxLogBytes);
  if (isDue) await sql`checkpoint`.execute(database);
  return isDue;
}

/** Calls {@link checkpoint} every five minutes. Returns a function that stops it. */
export function checkpointRegularly(database: Kysely<Tables>): () => void {
  // Ignores errors: the next checkpoint includes a failed one.
  const timer = setInterval(() => void checkpoint(database).catch(() => {}), intervalMs).unref();
  return () => clearInterval(timer);
}
