import type { Database } from "../platform/database/tables.ts";
import { isAbout, type LogSubject } from "./log-subject.ts";

/** The number of events on a page of a log. */
const perPage = 50;

/** Events of a log, newest first. */
export interface LogPage {
  readonly items: readonly LogEntry[];
  /** The sequence number before which the next page begins; undefined on the last page. */
  readonly before: number | undefined;
}

export type LogEntry = Awaited<ReturnType<typeof readEntries>>[number];

/** Reads a page of a log. The caller must have checked that the reader may see every event of the subject. */
export async function readLog(
  database: Database,
  subject: LogSubject,
  before = Number.MAX_SAFE_INTEGER,
): Promise<LogPage> {
  const rows = await readEntries(database, subject, before);
  const items = rows.slice(0, perPage);
  return { items, before: rows.length > perPage ? items.at(-1)?.sequence : undefined };
}

async function readEntries(database: Database, subject: LogSubject, before: number) {
  return await database
    .selectFrom("events")
    .where("sequence", "<", before)
    .where(isAbout(subject))
    .orderBy("sequence", "desc")
    .limit(perPage + 1)
    .select(["sequence", "at", "type", "actor", "subject", "detail"])
    .execute();
}
