import { connectEmbedded } from "@envs/hub-server/src/platform/database/connect.ts";
import { openEmbedded } from "@envs/hub-server/src/platform/database/embedded.ts";
import { migrate } from "@envs/hub-server/src/platform/database/migrate.ts";
import type { Database } from "@envs/hub-server/src/platform/database/tables.ts";
import { claimJob, finishJob } from "@envs/hub-server/src/rescoring/job-queue.ts";
import { addUsage } from "@envs/hub-server/src/rescoring/replay-usage.ts";

import type { Figure } from "./figure.ts";

type Embedded = Awaited<ReturnType<typeof openEmbedded>>;

const owners = 10;
const runsOfOwner = 3;
const honestSeconds = 5;
const attacks = 50;
/** The time after which the hub ends a replay. */
const slowSeconds = 600;
/** The settings of a hub without configuration. */
const workers = 2;
const budgetSeconds = 3600;
const start = Date.parse("2026-01-01T00:00:00Z");

/**
 * How long ten users wait for their runs to be rescored, beside a user who has pushed fifty bundles that never answer. The queue is
 * the hub's; the time of replays is simulated.
 */
export async function replayQueue(): Promise<readonly Figure[]> {
  const pglite = await openEmbedded();
  const connection = await connectEmbedded(pglite);
  try {
    await migrate(connection);
    const queue = { database: connection.database, pglite };
    const alone = await waits(queue, 0);
    const attacked = await waits(queue, attacks);
    // The former queue: one worker, the oldest job first.
    const inOrder = Array.from(
      { length: owners * runsOfOwner },
      (_, index) => attacks * slowSeconds + (index + 1) * honestSeconds,
    );
    const of = `${owners} owners beside ${attacks} endless replays`;
    return [
      { name: `${owners} owners alone: mean wait`, value: mean(alone), unit: "s" },
      { name: `${of}, oldest job first: mean wait`, value: mean(inOrder), unit: "s" },
      { name: `${of}, by owner: mean wait`, value: mean(attacked), unit: "s" },
      { name: `${of}, by owner: longest wait`, value: Math.max(...attacked), unit: "s" },
      {
        name: `${of}: mean wait relative to alone`,
        value: mean(attacked) / mean(alone),
        unit: "×",
        aim: { at: "most", value: workers },
      },
    ];
  } finally {
    await pglite.close();
  }
}

/** The seconds until each honest job is done. All jobs wait from the start, those of the attacker first. */
async function waits(
  { database, pglite }: { readonly database: Database; readonly pglite: Embedded },
  slow: number,
): Promise<readonly number[]> {
  const attacker = await seedJobs(pglite, slow);
  const queue = "replay";
  const maxRunning = workers - 1;
  const limits = { queue, leaseMs: 700_000, maxRunning, budgetMs: budgetSeconds * 1000 } as const;
  const free = Array.from({ length: workers }, () => start);
  const running: { readonly at: number; readonly finish: () => Promise<void> }[] = [];
  const done: number[] = [];
  for (let time = start; ;) {
    const job = free.length > 0 && (await claimJob(database, { ...limits, now: new Date(time) }));
    if (job) {
      free.pop();
      const { owner_id: owner } = job;
      const seconds = owner === attacker ? slowSeconds : honestSeconds;
      const at = time + seconds * 1000;
      running.push({
        at,
        async finish() {
          await finishJob(database, job, { result: { outcome: "impossible" }, now: new Date(at) });
          const used = { milliseconds: seconds * 1000, now: new Date(at) };
          await addUsage(database, owner, { queue, ...used });
          if (owner !== attacker) done.push((at - start) / 1000);
        },
      });
      continue;
    }
    const next = running.toSorted((a, b) => a.at - b.at)[0];
    if (next === undefined) return done;
    running.splice(running.indexOf(next), 1);
    time = next.at;
    free.push(time);
    await next.finish();
  }
}

/** Queues the jobs of an attacker, then those of the owners. Returns the attacker's id. */
async function seedJobs(pglite: Embedded, slow: number): Promise<number> {
  await pglite.exec("truncate accounts, packages, versions, runs, replay_jobs cascade");
  const jobs = [slow, ...Array.from({ length: owners }, () => runsOfOwner)];
  let attacker = 0;
  for (const [index, count] of jobs.entries()) {
    const { rows } = await pglite.query<{ readonly id: number }>(
      `with account as (
         insert into accounts (name, kind, created_at) values ($1, 'user', now()) returning id
       ), package as (
         insert into packages (name, scope, owner_id, created_at, modified_at)
         select $1, '', id, now(), now() from account returning id, owner_id
       ), pairs as (
         insert into versions (package_id, version, manifest, shasum, integrity, blob, size, unpacked_size, file_count, signatures, published_at)
         select id, number || '.0.0', '{}', '', '', '', 0, 0, 0, '[]', now()
         from package, generate_series(1, 2 * $2::int) as number returning id
       ), numbered as (
         select id, row_number() over (order by id) as number from pairs
       ), queued as (
         insert into replay_jobs (kind, owner_id, from_version_id, to_version_id, created_at)
         select 'diff', package.owner_id, one.id, two.id, now()
         from package, numbered as one join numbered as two on two.number = one.number + 1
         where one.number % 2 = 1
       )
       select id from account`,
      [`user-${index}`, count],
    );
    if (index === 0) attacker = rows[0]!.id;
  }
  return attacker;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
