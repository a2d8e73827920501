import { rewardDiffer } from "@envs/bundle";
import type { RewardComparison } from "@envs/hub-client";

import { toRuns } from "../evaluations/runs/to-runs.ts";
import type { Hub } from "../platform/hub/hub.ts";
import { bundleCode } from "./bundle-code.ts";
import { ReplayProblem } from "./replay-response.ts";
import { type ReplayLimits, replayRun } from "./replay-run.ts";
import { tolerance } from "./rescore-run.ts";
import { storedRuns } from "./stored-runs.ts";

/** The limits of a comparison, to which more runs and rollouts would add little. */
const maxRuns = 20;
const maxRollouts = 5000;

/** Replays the rollouts of one version's newest evaluations through the bundle of another version. */
export async function diffVersions(
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
        differ.add(run.recipe.model, recorded, replayed);
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
