import type { CAPI } from "@sqlite.org/sqlite-wasm";

/** Actions of SQL that only reads. */
const reading = ["SQLITE_SELECT", "SQLITE_READ", "SQLITE_FUNCTION", "SQLITE_RECURSIVE"] as const;

/** Actions that reach other databases. Their files are in JavaScript's memory, which has no limit of ours. */
const attaching = ["SQLITE_ATTACH", "SQLITE_DETACH"] as const;

/** Pragmas that describe the database. Most others configure the connection. */
const describing = new Set([
  "collation_list",
  "data_version",
  "database_list",
  "foreign_key_check",
  "foreign_key_list",
  "function_list",
  "index_info",
  "index_list",
  "index_xinfo",
  "integrity_check",
  "page_count",
  "quick_check",
  "table_info",
  "table_list",
  "table_xinfo",
]);

/** Pragmas that a writer may set too. */
const settings = new Set(["application_id", "defer_foreign_keys", "foreign_keys", "user_version"]);

/** Decides which actions SQL may take. SQLite calls it when it compiles a statement, so a forbidden one never runs. */
export function authorizer(
  capi: CAPI,
  readOnly: boolean,
): (context: number, action: number, name: string | 0) => number {
  const reads = new Set<number>(reading.map((name) => capi[name]));
  const attaches = new Set<number>(attaching.map((name) => capi[name]));
  const allowsPragma = (name: string): boolean =>
    describing.has(name) || (!readOnly && settings.has(name));
  return (_context, action, name) => {
    const isAllowed =
      action === capi.SQLITE_PRAGMA
        ? allowsPragma(String(name).toLowerCase())
        : readOnly
          ? reads.has(action)
          : !attaches.has(action);
    return isAllowed ? capi.SQLITE_OK : capi.SQLITE_DENY;
  };
}
