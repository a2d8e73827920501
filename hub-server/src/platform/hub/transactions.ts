import { sql, type Transaction } from "kysely";

import type { DatabaseConnection } from "../database/connect.ts";
import { inGroups } from "../database/in-groups.ts";
import type { Tables } from "../database/tables.ts";
import { eventLog, type EventLog } from "./event-log.ts";

/** The part of a change that runs in a transaction. */
type Work<Result> = (transaction: Transaction<Tables>, log: EventLog) => Promise<Result>;

/** Runs a change in a transaction. The change is on the disk when the promise resolves. */
export type Transact = <Result>(work: Work<Result>) => Promise<Result>;

/** A group uses the only connection of the embedded database, so other queries wait for it. */
const maxWorks = 16;

/**
 * Changes of the embedded database, whose transactions run one after another: those that wait share a transaction, and its sync
 * of the disk. On a server, transactions run at the same time, and the server syncs them together.
 */
export function transactionsOf({ database, kind }: DatabaseConnection): Transact {
  if (kind === "server")
    return (work) =>
      database.transaction().execute((transaction) => work(transaction, eventLog(transaction)));
  const runTogether = inGroups<Work<unknown>, unknown>({
    maxItems: maxWorks,
    run: (take) =>
      database.transaction().execute(async (transaction) => {
        const log = eventLog(transaction);
        const [work, ...others] = take();
        if (work === undefined) return [];
        if (others.length === 0) {
          const result = await work(transaction, log);
          return [() => result];
        }
        const outcomes: (() => unknown)[] = [];
        for (const member of [work, ...others])
          outcomes.push(await attempt(transaction, log, member));
        return outcomes;
      }),
  });
  return async <Result>(work: Work<Result>) => (await runTogether(work)) as Result;
}

/** Runs a work that shares its transaction. If it fails, the others of the group do not notice. */
async function attempt(
  transaction: Transaction<Tables>,
  log: EventLog,
  work: Work<unknown>,
): Promise<() => unknown> {
  await sql`savepoint work`.execute(transaction);
  try {
    const result = await work(transaction, log);
    return () => result;
  } catch (error) {
    await sql`rollback to savepoint work`.execute(transaction);
    return () => {
      throw error;
    };
  } finally {
    await sql`release savepoint work`.execute(transaction);
  }
}
