import type { HubPlay, Run } from "@envs/hub-client";

import { hasPermission } from "../access/permissions/permission-query.ts";
import { changeRun } from "../evaluations/runs/change-run.ts";
import { requireRun } from "../evaluations/runs/read-runs.ts";
import { requirePushRight } from "../evaluations/upload/upload-rights.ts";
import type { Identity } from "../identity/request/identity.ts";
import type { Database } from "../platform/database/tables.ts";
import { forbidden, HubError, notFound } from "../platform/errors/hub-error.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { usedTime } from "../rescoring/replay-usage.ts";
import { planPlay } from "./plan-play.ts";
import { PlayProblem } from "./play-problem.ts";

/** The maximum number of plays of a user that wait. */
const maxQueued = 20;

/** Queues a play of a run. Throws unless the caller pushed the run or may publish its package, and the hub can play it. */
export async function requestPlay(hub: Hub, identity: Identity, id: string): Promise<HubPlay> {
  const { database } = hub;
  const run = await requireRun(database, identity, id);
  await requirePushRight(database, identity, run.recipe.package);
  if (!(await mayRequestPlay(database, identity, run)))
    throw forbidden(
      `The hub plays the run ${id} only for ${run.owner}, and for users who may publish ${run.recipe.package}.`,
    );
  const state = await readPlay(hub, run, identity);
  if (state.outcome === "waiting" || state.outcome === "played") return state;
  if (state.outcome === "impossible")
    throw new HubError("play-refused", {
      message: `${state.reason} Reproduce it yourself: envs run reproduce ${id}`,
    });
  await rejectTooMany(database, identity);
  await changeRun(hub, id, async ({ database: transaction, now }) => {
    const queued = { owner_id: identity.userId, created_at: now };
    await transaction
      .insertInto("replay_jobs")
      .values({ kind: "play", played_run_id: id, ...queued })
      .onConflict((conflict) =>
        conflict
          .column("played_run_id")
          .doUpdateSet({
            state: "queued",
            result: null,
            attempts: 0,
            finished_at: null,
            declaration_id: null,
            ...queued,
          })
          .where("replay_jobs.state", "=", "done"),
      )
      .execute();
  });
  return await readPlay(hub, run, identity);
}

/** Whether a user may spend the hub's time on a run: its owner, and users who may publish its package. */
export async function mayRequestPlay(
  database: Database,
  identity: Identity | undefined,
  { owner, recipe }: Run,
): Promise<boolean> {
  if (identity === undefined) return false;
  if (identity.name === owner) return true;
  const row = await database
    .selectFrom("packages")
    .where("name", "=", recipe.package)
    .where(hasPermission(identity, "write"))
    .select("id")
    .executeTakeFirst();
  return row !== undefined;
}

async function rejectTooMany(database: Database, { userId }: Identity): Promise<void> {
  const { count } = await database
    .selectFrom("replay_jobs")
    .where("kind", "=", "play")
    .where("state", "<>", "done")
    .where("owner_id", "=", userId)
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  if (count < maxQueued) return;
  throw new HubError("play-refused", {
    message: `${count} plays that you requested wait. Try again after one of them.`,
  });
}

/** Reads whether the hub plays a run, has played it, or could for a user. The caller must have read the run. */
export async function readPlay(
  hub: Hub,
  run: Run,
  requester: Identity | undefined,
): Promise<HubPlay> {
  const { database, clock, settings } = hub;
  const job = await database
    .selectFrom("replay_jobs")
    .where("played_run_id", "=", run.id)
    .select(["result", "owner_id"])
    .executeTakeFirst();
  if (job?.result != null) return job.result as HubPlay;
  if (job === undefined) return await possibility(hub, run, requester);
  const budget = settings.HUB_PLAY_OWNER_SECONDS;
  const queue = "play";
  const milliseconds = await usedTime(database, job.owner_id, { queue, now: clock() });
  if (milliseconds < budget * 1000) return { outcome: "waiting" };
  return {
    outcome: "waiting",
    reason: `The plays of this user took ${Math.round(milliseconds / 1000)} seconds today. Each user has ${budget} seconds a day on this hub, so it continues tomorrow (UTC).`,
  };
}

async function possibility(hub: Hub, run: Run, requester: Identity | undefined): Promise<HubPlay> {
  const row = await hub.database
    .selectFrom("runs")
    .where("id", "=", run.id)
    .select("version_id")
    .executeTakeFirst();
  if (row === undefined) throw notFound(`The run ${run.id}`);
  try {
    await planPlay(hub, { run, versionId: row.version_id, requester });
    return { outcome: "possible" };
  } catch (error) {
    if (error instanceof PlayProblem) return { outcome: "impossible", reason: error.message };
    throw error;
  }
}
