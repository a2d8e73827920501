import type { HubPlay, Run } from "@envs/hub-client";

import type { Package } from "../access/permissions/require-package.ts";
import { insertDeclaration } from "../evaluations/declarations/declare-run.ts";
import { toRuns } from "../evaluations/runs/to-runs.ts";
import { hubIdentity } from "../identity/accounts/hub-account.ts";
import type { Identity } from "../identity/request/identity.ts";
import type { Row } from "../platform/database/tables.ts";
import { HubError } from "../platform/errors/hub-error.ts";
import { change, type Hub } from "../platform/hub/hub.ts";
import { bundleCode, ReplayProblem } from "../rescoring/bundle-code.ts";
import {
  type BundleProcess,
  datasetOf,
  type ReplayLimits,
  startBundle,
} from "../rescoring/bundle-process.ts";
import { datasetSize } from "../rescoring/declared-sample.ts";
import { finishJob, isGivenUp, type ReplayJob, storedRuns } from "../rescoring/job-queue.ts";
import { WorkerProblem } from "../rescoring/sandbox/worker-process.ts";
import { type PlayPlan, planPlay } from "./plan-play.ts";
import { PlayProblem } from "./play-problem.ts";
import { playRecipe } from "./play-recipe.ts";
import type { Requester } from "./player.ts";
import { playedRollouts, pushPlay } from "./push-play.ts";

/** The minimum share of scored rollouts. With fewer, the hub's run would say more about a failing server than about the model. */
const minScored = 0.9;
const turnMs = 120_000;

/** Plays the run of a job that this hub has leased, and stores the result. */
export async function runPlay(hub: Hub, job: ReplayJob, limits: ReplayLimits): Promise<void> {
  const row = await storedRuns(hub.database)
    .where("runs.id", "=", job.played_run_id)
    .executeTakeFirst();
  const [run] = row === undefined ? [] : await toRuns(hub.database, [row]);
  // The job ends with its run.
  if (row === undefined || run === undefined) return;
  const package_ = await hub.database
    .selectFrom("packages")
    .where("id", "=", row.package_id)
    .selectAll()
    .executeTakeFirstOrThrow();
  const result = await resultOf(limits.signal, async () => {
    if (isGivenUp(job))
      throw new PlayProblem("crash", "The hub stopped each time that it played this run.");
    const signal = AbortSignal.any([limits.signal, AbortSignal.timeout(limits.total)]);
    const each = { job, run, versionId: row.version_id, package: package_ };
    return await play(hub, each, { ...limits, total: Infinity, signal });
  });
  await change(hub, async ({ database, now, touch }) => {
    await finishJob(database, job, { result, now });
    touch(package_);
  });
}

/** Errors that concern the run become its result. */
async function resultOf(signal: AbortSignal, work: () => Promise<string>): Promise<HubPlay> {
  try {
    return { outcome: "played", run: await work() };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof PlayProblem) return failed(error.code, error.message);
    if (error instanceof DOMException && error.name === "TimeoutError")
      return failed("time", "The play took longer than the hub's limit.");
    if (error instanceof ReplayProblem) return failed("bundle", error.message);
    if (error instanceof WorkerProblem) return failed("model", error.message);
    if (error instanceof HubError) return failed("refused", error.message);
    throw error;
  }
}

function failed(code: PlayProblem["code"], reason: string): HubPlay {
  return { outcome: "failed", code, reason };
}

interface Job {
  readonly job: ReplayJob;
  readonly run: Run;
  readonly versionId: number;
  readonly package: Package;
}

/** Plays a run, and returns the id of the hub's own. */
async function play(hub: Hub, job: Job, limits: ReplayLimits): Promise<string> {
  const { run, versionId, package: package_ } = job;
  const requester = await hub.database
    .selectFrom("accounts")
    .where("id", "=", job.job.owner_id)
    .select(["id", "name"])
    .executeTakeFirstOrThrow();
  const plan = await planPlay(hub, { run, versionId, requester });
  const bundle = await bundleCode(hub, versionId);
  const startedAt = hub.clock();
  const identity = await hubIdentity(hub.database, startedAt);
  using process = await startBundle(bundle, limits);
  const declaration = await declare(hub, { job, plan, identity, process });
  const earlier = await runOf(hub, declaration);
  if (earlier !== undefined) return earlier;
  const played = await playAll(process, { plan, declaration, requester, signal: limits.signal });
  const { price } = plan.player;
  const { core: coreVersion } = bundle;
  return await pushPlay(hub, {
    identity,
    package: package_,
    declaration,
    coreVersion,
    price,
    startedAt,
    played,
  });
}

/** Declares the hub's own run in its own name, unless an earlier attempt at the job has. */
async function declare(
  hub: Hub,
  {
    job: { job, versionId, package: package_ },
    plan: { recipe },
    identity,
    process,
  }: {
    readonly job: Job;
    readonly plan: PlayPlan;
    readonly identity: Identity;
    readonly process: BundleProcess;
  },
): Promise<Row<"declarations">> {
  if (job.declaration_id !== null)
    return await hub.database
      .selectFrom("declarations")
      .where("id", "=", job.declaration_id)
      .selectAll()
      .executeTakeFirstOrThrow();
  const dataset = datasetOf({ ...recipe, seed: 0 });
  const size = recipe.size ?? (await datasetSize(process.call, dataset, recipe));
  if (size !== null && size < (recipe.examples ?? 0))
    throw new PlayProblem(
      "bundle",
      `The run has ${recipe.examples} examples, but the published dataset has ${size}.`,
    );
  return await change(hub, async (change) => {
    const owner = { ownerId: identity.userId, package: package_, versionId };
    const declaration = await insertDeclaration(change, owner, { ...recipe, size });
    await change.database
      .updateTable("replay_jobs")
      .set({ declaration_id: declaration.id })
      .where("id", "=", job.id)
      .execute();
    return declaration;
  });
}

/** The run of a declaration that an earlier attempt completed before its hub stopped. */
async function runOf({ database }: Hub, { id }: Row<"declarations">): Promise<string | undefined> {
  const run = await database
    .selectFrom("runs")
    .where("declaration_id", "=", id)
    .where("state", "=", "complete")
    .select("id")
    .executeTakeFirst();
  return run?.id;
}

async function playAll(
  process: BundleProcess,
  {
    plan: { player, manifest },
    declaration: { recipe, seed },
    requester,
    signal,
  }: {
    readonly plan: PlayPlan;
    readonly declaration: Row<"declarations">;
    readonly requester: Requester;
    readonly signal: AbortSignal;
  },
) {
  using started = await player.start({ requester, signal });
  const { temperature, top_p: topP, max_tokens: maxTokens, stop } = recipe.sampling as Sampling;
  const { maxTotalTokens } = recipe.details;
  const rollouts = playedRollouts();
  let failure: string | undefined;
  for await (const group of playRecipe(process, {
    environment: manifest.name,
    dataset: datasetOf({ ...recipe, seed }),
    recipe,
    seed,
    model: started.model,
    concurrency: player.concurrency,
    sampling: { temperature, topP, maxTokens, stop },
    maxTotalTokens: typeof maxTotalTokens === "number" ? maxTotalTokens : Infinity,
    turnMs,
    signal,
  }))
    for (const rollout of group) {
      if (rollout.status === "failed") failure ??= rollout.error.message;
      rollouts.add(rollout);
    }
  const played = rollouts.end();
  const { scored, rollouts: total } = played.totals;
  if (scored < minScored * total)
    throw new PlayProblem(
      "failures",
      `${total - scored} of ${total} rollouts failed. The first: ${failure}`,
    );
  return played;
}

interface Sampling {
  readonly temperature?: number;
  readonly top_p?: number;
  readonly max_tokens?: number;
  readonly stop?: readonly string[];
}
