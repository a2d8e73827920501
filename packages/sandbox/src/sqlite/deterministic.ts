import crypto from "node:crypto";

/** The fixed value of `CURRENT_TIMESTAMP`. */
const now = Date.UTC(2026, 0, 1);

/**
 * Makes SQL repeatable: the clock is fixed, the time zone is UTC, and `random()` always has the same seed. Call it only in the
 * thread of a database, because it patches the functions that SQLite reads time and seed from.
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
