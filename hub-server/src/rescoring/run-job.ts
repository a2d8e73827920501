import type { Rescoring, RewardComparison } from "@envs/hub-client";

import { removeBadge, setBadge } from "../evaluations/runs/badges.ts";
import { toRuns } from "../evaluations/runs/to-runs.ts";
import { change } from "../platform/hub/change.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { diffVersions } from "./diff-versions.ts";
import { finishJob, isGivenUp, type ReplayJob } from "./job-queue.ts";
import type { ReplayLimits } from "./replay-run.ts";
import { rescoreRun } from "./rescore-run.ts";
import { storedRuns } from "./stored-runs.ts";

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
    const badge = { runId, badge: "rescored" } as const;
    if (result.outcome === "rescored")
      await setBadge(database, { ...badge, evidence: result.evidence, now });
    else await removeBadge(database, badge);
  });
}
