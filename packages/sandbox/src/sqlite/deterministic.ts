import crypto from "node:crypto";

/** The fixed value of `CURRENT_TIMESTAMP`. */
const now = Date.UTC(2026, 0, 1);

/**
 * Makes SQL repeatable: the time stands still, the time zone is UTC, and `random()` always has the same seed. Only for the
 * thread of a database: it changes what this build of SQLite reads time and seed from.
 */
export function makeDeterministic(): void {
  /* oxlint-disable eslint/no-extend-native, eslint/no-restricted-properties -- SQLite reads the time from Date. */
  Date.now = () => now;
  const fields = ["FullYear", "Month", "Date", "Day", "Hours", "Minutes", "Seconds"] as const;
  for (const field of fields) Date.prototype[`get${field}`] = Date.prototype[`getUTC${field}`];
  Date.prototype.getTimezoneOffset = () => 0;
  /* oxlint-enable */
  crypto.randomFillSync = (view) => view;
}
