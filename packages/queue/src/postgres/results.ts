import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";

import { groupId } from "../group.ts";
import type { Cursor, ResultPage, ResultQuery, ResultRow } from "../queue.ts";
import type { Database, Row } from "./database.ts";
import { groupOf, type JobData } from "./job.ts";
import { channels, deadJobsOf } from "./schema.ts";
import type { Wake } from "./wake.ts";

/** The number of times that a call looks for rows before it returns an empty list. */
const maxWaits = 5;
/** The maximum number of groups without attempts left that are converted to rows at once. */
const deadBatch = 100;

/**
 * Reads the rows after a position in an order that no later commit changes. A row's number is assigned before its transaction
 * commits, so a row with a lower number may appear later. Rows are therefore ordered by transaction, and read only once every
 * transaction that may be before them has ended.
 */
export async function readResults(
  database: Database,
  wake: Wake,
  { runId, after = "0/0", limit, signal }: ResultQuery & { readonly runId: string },
): Promise<ResultPage> {
  const [transaction, sequence] = after.split("/");
  await database.query(
    `update envs_queue.runs set seen_at = now() where id = $1 and seen_at < now() - interval '1 minute'`,
    [runId],
  );
  for (let waits = 0; ; waits += 1) {
    const version = await wake.version();
    const rows = await database.query(
      `select group_id, rollout_index, failure, content,
          transaction::text as transaction, sequence::text as sequence
        from envs_queue.results
          left join envs_queue.blobs on blobs.run_id = results.run_id and hash = blob
        where results.run_id = $1 and (transaction, sequence) > ($2::text::xid8, $3::text::bigint)
          and transaction < pg_snapshot_xmin(pg_current_snapshot())
        order by results.transaction, results.sequence limit $4`,
      [runId, transaction, sequence, limit],
    );
    if (rows.length > 0 || waits === maxWaits || signal?.aborted === true)
      return { rows: rows.map(resultRow), cursor: cursorOf(rows) ?? after };
    await checkNotCancelled(database, runId);
    if (!(await failDeadGroups(database, runId))) await wake.after(version, signal);
  }
}

/** Reads the rows of some groups in any order. */
export async function readGroupResults(
  database: Database,
  runId: string,
  groupIds: readonly string[],
): Promise<readonly ResultRow[]> {
  const rows = await database.query(
    `select group_id, rollout_index, failure, content
      from envs_queue.results
        left join envs_queue.blobs on blobs.run_id = results.run_id and hash = blob
      where results.run_id = $1 and group_id = any($2::uuid[])`,
    [runId, [...groupIds]],
  );
  return rows.map(resultRow);
}

/** The rows of a cancelled run never arrive: workers drop them. Those of a finished run are all there. */
async function checkNotCancelled(database: Database, runId: string): Promise<void> {
  const [run] = await database.query(`select state from envs_queue.runs where id = $1`, [runId]);
  if (run?.["state"] === "cancelled")
    throw new ConfigError(
      `The run ${runId} of the queue was cancelled by another process. Its saved rollouts remain: resume it to play the others.`,
    );
}

function resultRow(row: Row): ResultRow {
  const key = { groupId: String(row["group_id"]), rolloutIndex: Number(row["rollout_index"]) };
  const { failure } = row;
  return typeof failure === "string"
    ? { ...key, failure }
    : { ...key, row: String(row["content"]) };
}

function cursorOf(rows: readonly Row[]): Cursor | undefined {
  const last = rows.at(-1);
  return last && `${String(last["transaction"])}/${String(last["sequence"])}`;
}

/** Writes failures for the rollouts of groups that no worker could play. Returns whether there was one. */
async function failDeadGroups(database: Database, runId: string): Promise<boolean> {
  const { boss } = database;
  const name = deadJobsOf(runId);
  await database.known(name);
  return await database.transaction(async (db) => {
    const dead = await boss.fetch<JobData>(name, {
      includeMetadata: true,
      batchSize: deadBatch,
      db,
    });
    if (dead.length === 0) return false;
    const failures = dead.flatMap(({ data, sourceOutput }) => {
      const group = groupOf(data);
      const group_id = groupId(runId, group);
      const failure = reasonOf(sourceOutput);
      return group.rolloutIndices.map((rollout_index) => ({ group_id, rollout_index, failure }));
    });
    await db.executeSql(
      `insert into envs_queue.results (run_id, group_id, rollout_index, failure)
        select $1, group_id, rollout_index, failure
        from json_to_recordset($2::text::json) as x (group_id uuid, rollout_index int, failure text)
        on conflict do nothing`,
      [runId, JSON.stringify(failures)],
    );
    await boss.complete(name, dead, null, { db });
    await db.executeSql(`select pg_notify($1, '')`, [channels.results]);
    return true;
  });
}

/** Reads the reason of a failed job; pg-boss nests its own reasons. */
function reasonOf(output: object | null): string {
  const value = output !== null && "value" in output ? output.value : output;
  const reason = messageOf(value ?? "unknown");
  return reason === "job heartbeat timeout" ? "its worker stopped or lost its connection" : reason;
}
