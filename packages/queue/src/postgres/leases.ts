import { createHash } from "node:crypto";

import type { Lease, WorkerQueue } from "../queue.ts";
import type { Database } from "./database.ts";
import { groupOf, jobData, type JobData } from "./job.ts";
import { channels, jobsOf } from "./schema.ts";
import type { Wake } from "./wake.ts";

/** How often a call looks for jobs before it returns none. */
const maxWaits = 5;

type Leases = Omit<WorkerQueue, typeof Symbol.asyncDispose | "heartbeat" | "leave">;

/** What workers take from a database, and return to it. */
export function leases(database: Database, wake: Wake): Leases {
  const { boss } = database;

  const take = async (runId: string, count: number): Promise<readonly Lease[]> => {
    const jobs = await boss.fetch<JobData>(jobsOf(runId), { batchSize: count });
    return jobs.map(({ id, retryCount, data }) => ({
      id,
      runId,
      attempt: retryCount,
      group: groupOf(data),
    }));
  };

  return {
    async lease({ ready, refused, count, signal }) {
      for (let waits = 0; ; waits += 1) {
        const version = await wake.version();
        const open = await database.query(
          `select id, case when id = any($1::uuid[]) then null else plan end as plan
            from envs_queue.runs where state = 'open' and id <> all($2::uuid[])
            order by created_at`,
          [[...ready], [...refused]],
        );
        const runs = open.flatMap(({ id, plan }) =>
          typeof plan === "string" ? [{ id: String(id), plan }] : [],
        );
        const taken: Lease[] = [];
        const openIds = new Set(open.map(({ id }) => id));
        for (const runId of ready)
          if (openIds.has(runId) && taken.length < count)
            taken.push(...(await take(runId, count - taken.length)));
        if (taken.length + runs.length > 0 || waits === maxWaits || signal.aborted)
          return { leases: taken, runs };
        await wake.after(version, signal);
      }
    },

    async complete({ runId, id }, rows) {
      const name = jobsOf(runId);
      await database.known(name);
      const values = rows
        .toSorted((a, b) => a.rolloutIndex - b.rolloutIndex)
        .map(({ rolloutIndex, row }) => ({
          index: rolloutIndex,
          hash: createHash("sha256").update(row).digest("hex"),
          row,
        }));
      await database.transaction(async (db) => {
        const run = await db.executeSql(
          `select from envs_queue.runs where id = $1 and state = 'open' for key share`,
          [runId],
        );
        if (run.rows.length === 0) return;
        await db.executeSql(
          `with incoming as (
            select index, decode(hash, 'hex') as hash, row
            from json_to_recordset($3::text::json) as x (index int, hash text, row text)
          ), inserted as (
            insert into envs_queue.results (run_id, group_id, rollout_index, blob)
            select $1, $2, index, hash from incoming order by index
            on conflict do nothing returning blob
          )
          insert into envs_queue.blobs (run_id, hash, content)
          select distinct on (hash) $1::uuid, hash, row from incoming
          where hash in (select blob from inserted)
          on conflict do nothing`,
          [runId, id, JSON.stringify(values)],
        );
        // Also if the lease was lost, and the job waits or belongs to another worker: its rows are here now.
        await boss.complete(name, id, null, { db, includeQueued: true });
        await db.executeSql(`select pg_notify($1, '')`, [channels.results]);
      });
    },

    async fail({ runId, id, attempt }, reason) {
      await database.call(() =>
        boss.fail(jobsOf(runId), { id, retryCount: attempt }, { message: reason }),
      );
      await database.query(`select pg_notify($1, '')`, [channels.jobs]);
    },

    async release(released) {
      for (const { runId, id, attempt, group } of released) {
        const name = jobsOf(runId);
        await database.known(name);
        // A new job with the same id has all of its attempts. If the lease was lost, the job exists, and both do nothing.
        await database.transaction(async (db) => {
          await boss.deleteJob(name, { id, retryCount: attempt }, { db });
          await boss.insert(name, [{ id, data: jobData(group) }], { db });
          await db.executeSql(`select pg_notify($1, '')`, [channels.jobs]);
        });
      }
    },
  };
}
