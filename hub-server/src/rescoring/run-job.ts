import type { Rescoring, RewardComparison } from "@envs/hub-client";
import { rewardDiffer } from "@envs/records/bundle";

import { removeBadge, setBadge } from "../evaluations/runs/badges.ts";
import { toRuns } from "../evaluations/runs/to-runs.ts";
import { change, type Hub } from "../platform/hub/hub.ts";
import { bundleCode, ReplayProblem } from "./bundle-code.ts";
import type { ReplayLimits } from "./bundle-process.ts";
import { finishJob, isGivenUp, type ReplayJob, storedRuns } from "./job-queue.ts";
import { replayRun } from "./replay-run.ts";
import { rescoreRun, tolerance } from "./rescore-run.ts";

const givenUp = {
  outcome: "impossible",
  reason: "The hub stopped each time that it replayed these rollouts.",
} as const;

/** Runs a job that this hub has leased, and stores its result. */
export async function runJob(hub: Hub, job: ReplayJob, limits: ReplayLimits): Promise<void> {
  const { run_id: runId, from_version_id: from, to_version_id: to } = job;
  if (runId !== null) return await rescore(hub, { job, runId }, limits);
  if (from === null || to === null) return;
  const result: RewardComparison = isGivenUp(job)
    ? givenUp
    : await diffVersions(hub, { from, to }, limits);
  await change(hub, async ({ database, now, touch }) => {
    await finishJob(database, job, { result, now });
    const package_ = await database
      .selectFrom("versions")
      .innerJoin("packages", "packages.id", "versions.package_id")
      .where("versions.id", "=", from)
      .select(["packages.id", "packages.name"])
      .executeTakeFirst();
    // Invalidates cached pages, which show the old result.
    if (package_ !== undefined) touch(package_);
  });
}

async function rescore(
  hub: Hub,
  { job, runId }: { readonly job: ReplayJob; readonly runId: string },
  limits: ReplayLimits,
): Promise<void> {
  const row = await storedRuns(hub.database).where("runs.id", "=", runId).executeTakeFirst();
  const [run] = row === undefined ? [] : await toRuns(hub.database, [row]);
  if (row === undefined || run === undefined) return;
  const result: Rescoring = isGivenUp(job)
    ? givenUp
    : await rescoreRun(hub, { run, versionId: row.version_id }, limits);
  await change(hub, async ({ database, now, touch }) => {
    await finishJob(database, job, { result, now });
    touch({ id: row.package_id, name: row.package });
    const [rescored, refuted] = [
      { runId, badge: "rescored" } as const,
      { runId, badge: "refuted" } as const,
    ];
    if (result.outcome === "rescored")
      await setBadge(database, { ...rescored, evidence: result.evidence, now });
    else await removeBadge(database, rescored);
    if (result.outcome === "different") {
      const { different, first, evidence } = result;
      await setBadge(database, { ...refuted, evidence: { different, first, ...evidence }, now });
    } else await removeBadge(database, refuted);
  });
}

/** The limits of a comparison, to which more runs and rollouts would add little. */
const maxRuns = 20;
const maxRollouts = 5000;

/** Replays the rollouts of one version's newest evaluations through the bundle of another version. */
async function diffVersions(
  hub: Hub,
  { from, to }: { readonly from: number; readonly to: number },
  limits: ReplayLimits,
): Promise<RewardComparison> {
  const rows = await storedRuns(hub.database)
    .where("runs.version_id", "=", from)
    .where("runs.kind", "=", "evaluation")
    .orderBy("runs.completed_at", "desc")
    .limit(maxRuns)
    .execute();
  const runs = await toRuns(hub.database, rows);
  try {
    if (runs.length === 0) throw new ReplayProblem("The older version has no evaluations.");
    const bundle = await bundleCode(hub, to);
    const differ = rewardDiffer(tolerance);
    const deadline = performance.now() + limits.total;
    for (const run of runs) {
      const total = Math.max(1, deadline - performance.now());
      const options = { ...limits, total, isLenient: true };
      for await (const { recorded, replayed } of replayRun(hub, run, bundle, options))
        for (const [index, rollout] of recorded.entries())
          differ.add(run.recipe.model, rollout, replayed[index]!);
      if (differ.result().rollouts >= maxRollouts) break;
    }
    const { problem = null, scores, models, ...counts } = differ.result();
    return {
      outcome: "compared",
      runs: runs.length,
      ...counts,
      problem: problem?.slice(0, 1000) ?? null,
      scores: [...scores],
      models: [...models],
    };
  } catch (error) {
    if (error instanceof ReplayProblem) return { outcome: "impossible", reason: error.message };
    throw error;
  }
}
