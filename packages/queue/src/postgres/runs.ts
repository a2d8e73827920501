import { ConfigError } from "@envs/core";

import { groupId } from "../group.ts";
import type { CoordinatorQueue, QueuedRun, RunState } from "../queue.ts";
import type { Database } from "./database.ts";
import { jobData } from "./job.ts";
import { channels, deadJobsOf, jobsOf } from "./schema.ts";

/**
 * The options of jobs. A group fails after nineteen retries, because several of its workers may be lost for other reasons. A worker
 * whose heartbeats stop for 15 seconds has lost its leases.
 */
const jobOptions = {
  retryLimit: 19,
  heartbeatSeconds: 15,
  // Heartbeats decide whether a worker is alive. A day is the longest time that pg-boss accepts.
  expireInSeconds: 86_400,
  // Keeps completed jobs as long as their run, so that enqueuing one again does not play it again.
  deleteAfterSeconds: 0,
} as const;

type Runs = Pick<CoordinatorQueue, "start" | "state" | "enqueue" | "cancel" | "finish" | "remove">;

/** The runs of a database, and their jobs. */
export function runs(database: Database): Runs {
  const { boss } = database;

  const state = async (runId: string): Promise<RunState | undefined> => {
    const [run] = await database.query(`select state from envs_queue.runs where id = $1`, [runId]);
    return run?.["state"] as RunState | undefined;
  };

  const close = async (runId: string, closed: RunState): Promise<void> => {
    await database.query(
      `update envs_queue.runs set state = $2, closed_at = now() where id = $1 and state = 'open'`,
      [runId, closed],
    );
  };

  // Refreshes the cache of pg-boss, which creating a queue clears: see `Database.known`.
  const create: typeof boss.createQueue = async (name, options) => {
    if ((await boss.getQueue(name)) !== null) return;
    await boss.createQueue(name, options);
    // Drops cached facts, because a removed run may be started again.
    await database.known(name, { isCreated: true });
  };

  return {
    state,
    async start({ id, plan }: QueuedRun) {
      await deleteOldRuns(database);
      await create(deadJobsOf(id), { deleteAfterSeconds: 0 });
      await create(jobsOf(id), { ...jobOptions, deadLetter: deadJobsOf(id) });
      await database.query(
        `insert into envs_queue.runs (id, plan) values ($1, $2) on conflict do nothing`,
        [id, plan],
      );
      const [run] = await database.query(`select plan, state from envs_queue.runs where id = $1`, [
        id,
      ]);
      if (run?.["state"] !== "open")
        throw new ConfigError(`The run ${id} of the queue is ${String(run?.["state"])}.`);
      if (run["plan"] !== plan)
        throw new ConfigError(
          `The queue has a run ${id} with another plan. Restore the settings that the run was started with, or start a new run.`,
        );
      const [position] = await database.query(
        `select pg_snapshot_xmin(pg_current_snapshot())::text as xmin, pg_notify($1, '')`,
        [channels.jobs],
      );
      // The rows of open transactions and of later ones.
      return `${String(position!["xmin"])}/0`;
    },
    async enqueue(runId, groups) {
      if (groups.length === 0) return;
      const jobs = groups.map((group) => ({ id: groupId(runId, group), data: jobData(group) }));
      await database.known(jobsOf(runId));
      await database.transaction(async (db) => {
        await boss.insert(jobsOf(runId), jobs, { db });
        await db.executeSql(`select pg_notify($1, '')`, [channels.jobs]);
      });
    },
    cancel: (runId) => close(runId, "cancelled"),
    finish: (runId) => close(runId, "finished"),
    async remove(runId) {
      await database.query(`delete from envs_queue.runs where id = $1`, [runId]);
      await deleteJobs(database, runId);
    },
  };
}

/** Deletes runs a day after their end, and two weeks after their coordinator was last seen. */
async function deleteOldRuns(database: Database): Promise<void> {
  const old = await database.query(`
    delete from envs_queue.runs
    where closed_at < now() - interval '1 day' or seen_at < now() - interval '14 days'
    returning id
  `);
  for (const { id } of old) await deleteJobs(database, String(id));
  await database.query(`delete from envs_queue.workers where seen_at < now() - interval '1 day'`);
}

async function deleteJobs({ boss }: Database, runId: string): Promise<void> {
  await boss.deleteQueue(jobsOf(runId));
  await boss.deleteQueue(deadJobsOf(runId));
}
