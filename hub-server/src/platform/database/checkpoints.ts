import { type Kysely, sql } from "kysely";

import type { Tables } from "./tables.ts";

/** As often as PostgreSQL does it by itself, where it has processes for that. */
const every = 5 * 60_000;
/** So much of its log is replayed in a moment. */
const most = 16 * 2 ** 20;

/**
 * Writes to their files what has changed of the tables, if it is much. The embedded database does so only when it is closed:
 * until then its log would grow, and after a kill the next start would replay all of it. Returns whether it was much.
 */
export async function checkpoint(database: Kysely<Tables>): Promise<boolean> {
  const { rows } = await sql<{ logged: number }>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as logged from pg_control_checkpoint()
  `.execute(database);
  const isMuch = rows.some(({ logged }) => logged > most);
  if (isMuch) await sql`checkpoint`.execute(database);
  return isMuch;
}

/** Does so now and then. Returns what ends it. */
export function checkpointRegularly(database: Kysely<Tables>): () => void {
  // Should one fail, the next one does its work, too.
  const timer = setInterval(() => void checkpoint(database).catch(() => {}), every).unref();
  return () => clearInterval(timer);
}
