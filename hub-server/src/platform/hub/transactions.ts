import { sql, type Transaction } from "kysely";

import type { DatabaseConnection } from "../database/connect.ts";
import { inGroups } from "../database/in-groups.ts";
import type { Tables } from "../database/tables.ts";

/** The part of a change that runs in a transaction. If its group fails, it runs again. */
type Work<Outcome> = (transaction: Transaction<Tables>) => Promise<Outcome>;

/** Runs a change in a transaction. The change is on the disk when the promise resolves. */
export type Transact<Outcome> = <Own extends Outcome>(work: Work<Own>) => Promise<Own>;

interface TransactOptions<Outcome> {
  /** Writes what the changes of a transaction have in common, at its end. */
  readonly finish: (
    transaction: Transaction<Tables>,
    outcomes: readonly Outcome[],
  ) => Promise<void>;
}

/** A group uses the only connection of the embedded database, so other queries wait for it. */
export const maxWorks = 16;

/**
 * Changes of the embedded database, whose transactions run one after another: those that wait share a transaction, and its sync
 * of the disk. On a server, transactions run at the same time, and the server syncs them together.
 */
export function transactionsOf<Outcome>(
  { database, kind }: DatabaseConnection,
  { finish }: TransactOptions<Outcome>,
): Transact<Outcome> {
  const runAlone = <Own extends Outcome>(work: Work<Own>): Promise<Own> =>
    database.transaction().execute(async (transaction) => {
      const outcome = await work(transaction);
      await finish(transaction, [outcome]);
      return outcome;
    });
  if (kind === "server") return runAlone;
  const runTogether = inGroups<Work<Outcome>, Outcome>({
    maxItems: maxWorks,
    async run(take) {
      let works: readonly Work<Outcome>[] = [];
      const outcomes: PromiseSettledResult<Outcome>[] = [];
      try {
        await database.transaction().execute(async (transaction) => {
          works = take();
          const [first, ...others] = works;
          if (first !== undefined && others.length === 0)
            outcomes.push({ status: "fulfilled", value: await first(transaction) });
          else for (const work of works) outcomes.push(await attempt(transaction, work));
          await finish(
            transaction,
            outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : [])),
          );
        });
        return outcomes;
      } catch (error) {
        if (works.length < 2) throw error;
        // One of them fails the end of the transaction, or the database does.
        const alone: PromiseSettledResult<Outcome>[] = [];
        for (const work of works) alone.push(...(await Promise.allSettled([runAlone(work)])));
        return alone;
      }
    },
  });
  return async <Own extends Outcome>(work: Work<Own>) => (await runTogether(work)) as Own;
}

/** Runs a work that shares its transaction. If it fails, the others of the group do not notice. */
async function attempt<Outcome>(
  transaction: Transaction<Tables>,
  work: Work<Outcome>,
): Promise<PromiseSettledResult<Outcome>> {
  await sql`savepoint work`.execute(transaction);
  const [outcome] = await Promise.allSettled([work(transaction)]);
  if (outcome.status === "rejected") await sql`rollback to savepoint work`.execute(transaction);
  await sql`release savepoint work`.execute(transaction);
  return outcome;
}
