import type { FirstDifference, Rescoring, Run } from "@envs/hub-client";
import { compareReplay } from "@envs/records/bundle";

import type { Hub } from "../platform/hub/hub.ts";
import { bundleCode, ReplayProblem } from "./bundle-code.ts";
import type { ReplayLimits } from "./bundle-process.ts";
import { examineBundle, groupSample } from "./examine-bundle.ts";
import { replayRun } from "./replay-run.ts";
import { sandboxEngine } from "./sandbox/engine.ts";

/** Replays a run through the bundle of its version, and compares every score. */
export async function rescoreRun(
  hub: Hub,
  { run, versionId }: { readonly run: Run; readonly versionId: number },
  limits: ReplayLimits,
): Promise<Rescoring> {
  const start = performance.now();
  try {
    const bundle = await bundleCode(hub, versionId);
    let compared = 0;
    let different = 0;
    let first: FirstDifference | undefined;
    const judged = new Set<string>();
    const sample = groupSample();
    for await (const group of replayRun(hub, run, bundle, limits)) {
      sample.add(group);
      for (const [position, recorded] of group.recorded.entries()) {
        const replayed = group.replayed[position]!;
        compared += 1;
        for (const name of Object.keys(replayed.unjudged ?? {})) judged.add(name);
        const [difference] = compareReplay(recorded, replayed, tolerance);
        if (difference === undefined) continue;
        different += 1;
        const { exampleKey, exampleIndex, rolloutIndex } = recorded;
        first ??= { exampleKey, exampleIndex, rolloutIndex, ...shortened(difference) };
      }
    }
    if (compared === 0) throw new ReplayProblem("The run has no scored rollout.");
    const evidence = {
      rollouts: compared,
      failed: run.summary.counts.failed,
      tolerance,
      bundle: bundle.sha256,
      core: bundle.core,
      engine: sandboxEngine,
      milliseconds: Math.round(performance.now() - start),
    };
    if (first !== undefined) return { outcome: "different", evidence, different, first };
    await examineBundle(bundle, sample.groups(), limits);
    if (judged.size > 0) throw new ReplayProblem(judgedReason([...judged], compared));
    return { outcome: "rescored", evidence };
  } catch (error) {
    if (error instanceof ReplayProblem) return { outcome: "impossible", reason: error.message };
    throw error;
  }
}

/** The hub does not ask judges, so it cannot confirm a reward that depends on one. */
function judgedReason(names: readonly string[], rollouts: number): string {
  return `Judged, not rescored: ${names.join(", ")}. The hub does not ask judges. It replayed ${rollouts} ${rollouts === 1 ? "rollout" : "rollouts"}, and all other scores are equal.`.slice(
    0,
    1000,
  );
}

/** The tolerance for scores: the last bits of functions such as `Math.pow`, and of sums, differ between engines. */
export const tolerance = 1e-12;
const maxLength = 500;

function shortened<Value extends { readonly recorded: unknown; readonly replayed: unknown }>(
  difference: Value,
): Value {
  const shorten = (value: unknown): unknown => {
    const text = JSON.stringify(value);
    return text.length <= maxLength ? value : `${text.slice(0, maxLength).toWellFormed()}…`;
  };
  return {
    ...difference,
    recorded: shorten(difference.recorded),
    replayed: shorten(difference.replayed),
  };
}
