import { createHash } from "node:crypto";

import { messageOf } from "@envs/core/engine";

import type { Lease, WorkerQueue } from "../queue.ts";
import type { Database } from "./database.ts";
import { groupOf, jobData, type JobData } from "./job.ts";
import { channels, jobsOf } from "./schema.ts";
import type { Wake } from "./wake.ts";
import { holds } from "./workers.ts";

/** The number of times that a call looks for jobs before it returns an empty list. */
const maxWaits = 5;

type Leases = Omit<WorkerQueue, typeof Symbol.asyncDispose | "heartbeat" | "leave">;

/** The leases of workers in a database. */
export function leases(database: Database, wake: Wake): Leases {
  const { boss } = database;

  /** The number of rollouts in the largest group so far of each run. */
  const sizes = new Map<string, number>();

  const fetch = async (runId: string, batchSize: number): Promise<readonly Lease[]> => {
    const jobs = await boss.fetch<JobData>(jobsOf(runId), { batchSize }).catch((error: unknown) => {
      // The run was removed after its state was read.
      if (/^Queue \S+ does not exist$/.test(messageOf(error))) return [];
      throw error;
    });
    return jobs.map(({ id, retryCount: attempt, data }) => {
      const group = groupOf(data);
      sizes.set(runId, Math.max(sizes.get(runId) ?? 1, group.rolloutIndices.length));
      return { id, runId, attempt, group, isSuspect: attempt > 0 || data.isSuspect === true };
    });
  };

  /** Leases groups until they have the requested number of rollouts. The first group of a run determines the size of groups. */
  const take = async (runId: string, rollouts: number): Promise<readonly Lease[]> => {
    const taken: Lease[] = [];
    for (let room = rollouts; room > 0; room = rollouts - rolloutsOf(taken)) {
      const size = sizes.get(runId);
      const batch = size === undefined ? 1 : Math.max(1, Math.floor(room / size));
      try {
        const leased = await fetch(runId, batch);
        taken.push(...leased);
        if (leased.length < batch) break;
      } catch (error) {
        // Returns the groups that are already leased, which are played meanwhile.
        if (taken.length === 0) throw error;
        break;
      }
    }
    return taken;
  };

  return {
    async lease({ worker, ready, refused, rollouts, signal }) {
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
        for (const runId of sizes.keys()) if (!openIds.has(runId)) sizes.delete(runId);
        for (const runId of ready) {
          const room = rollouts - rolloutsOf(taken);
          if (openIds.has(runId) && room > 0) taken.push(...(await take(runId, room)));
        }
        if (taken.length > 0) await holds(database, worker, taken);
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
          ), stored as (
            insert into envs_queue.blobs (run_id, hash, content)
            select distinct on (hash) $1::uuid, hash, row from incoming
            where hash in (select blob from inserted)
            on conflict do nothing
          )
          select pg_notify($4, '')`,
          [runId, id, JSON.stringify(values), channels.results],
        );
        // Also completes a job whose lease was lost, because its rows have arrived.
        await boss.complete(name, id, null, { db, includeQueued: true });
      });
    },

    async fail({ runId, id, attempt }, reason) {
      await boss.fail(jobsOf(runId), { id, retryCount: attempt }, { message: reason });
      await database.query(`select pg_notify($1, '')`, [channels.jobs]);
    },

    async release(released) {
      for (const { runId, id, attempt, group, isSuspect } of released) {
        const name = jobsOf(runId);
        await database.known(name);
        // A new job with the same id has all of its attempts. If the lease was lost, the job exists, and both do nothing.
        await database.transaction(async (db) => {
          await boss.deleteJob(name, { id, retryCount: attempt }, { db });
          await boss.insert(name, [{ id, data: jobData(group, isSuspect) }], { db });
          await db.executeSql(`select pg_notify($1, '')`, [channels.jobs]);
        });
      }
    },
  };
}

function rolloutsOf(leased: readonly Lease[]): number {
  return leased.reduce((total, { group }) => total + group.rolloutIndices.length, 0);
}
