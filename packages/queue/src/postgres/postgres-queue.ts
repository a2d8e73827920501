import type { Queue } from "../queue.ts";
import type { Database } from "./database.ts";
import { leases } from "./leases.ts";
import { readGroupResults, readResults } from "./results.ts";
import { openRuns } from "./run-status.ts";
import { runs } from "./runs.ts";
import { channels } from "./schema.ts";
import { whileAvailable } from "./unavailable.ts";
import { wakeOn } from "./wake.ts";
import { heartbeat, workers } from "./workers.ts";

/** The queue of a database. Disposing closes the database. */
export function postgresQueue(database: Database): Queue {
  const jobs = wakeOn(database, channels.jobs);
  const results = wakeOn(database, channels.results);
  return available({
    ...runs(database),
    ...leases(database, jobs),
    results: (runId, query) => readResults(database, results, { runId, ...query }),
    groupResults: (runId, groupIds) => readGroupResults(database, runId, groupIds),
    heartbeat: (report, held) => heartbeat(database, report, held),
    leave: async (worker) =>
      void (await database.query(`delete from envs_queue.workers where id = $1`, [worker])),
    workers: () => workers(database),
    openRuns: () => openRuns(database),
    async [Symbol.asyncDispose]() {
      await jobs[Symbol.asyncDispose]();
      await results[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  });
}

/** Lets every method reject with a `QueueUnavailableError` while the database cannot be reached, also those that ask pg-boss. */
function available(queue: Queue): Queue {
  const methods = Object.entries(queue).map(([name, method]) => [
    name,
    (...values: readonly unknown[]) => whileAvailable(() => method(...values)),
  ]);
  const dispose = { [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose]() };
  return { ...(Object.fromEntries(methods) as Queue), ...dispose };
}
