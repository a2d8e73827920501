import type { ScoredRollout } from "@envs/core";
import type { Run } from "@envs/hub-client";
import { recordOf, type ReplayedRollout, type ReplayRequest } from "@envs/records/bundle";

import type { Hub } from "../platform/hub/hub.ts";
import { type BundleCode, BundleRejection } from "./bundle-code.ts";
import { type BundleProcess, datasetOf, type ReplayLimits, startBundle } from "./bundle-process.ts";
import { declaredSample } from "./declared-sample.ts";
import { type RecordedGroup, recordedGroups } from "./recorded-groups.ts";

/** The share of the time for the question whether the declaration chooses a run's examples. Reading a dataset can take all of it. */
const sampleShare = 1 / 4;

/** The recorded rollouts of one example, and the results of replaying their replies. */
export interface GroupReplay {
  readonly request: ReplayRequest;
  readonly recorded: readonly ScoredRollout[];
  readonly replayed: readonly ReplayedRollout[];
}

/**
 * Replays the scored rollouts of a run through a bundle, example by example in random order. A lenient replay is of another
 * version: its examples may have moved, and groups that it rejects are reported as unplayable.
 */
export async function* replayRun(
  hub: Hub,
  run: Run,
  bundle: Pick<BundleCode, "code" | "manifest">,
  { isLenient = false, ...limits }: ReplayLimits & { readonly isLenient?: boolean | undefined },
): AsyncGenerator<GroupReplay> {
  const { id, recipe } = run;
  const problemAt = isLenient ? () => undefined : await sampleOf(hub, run, bundle, limits);
  using process = await startBundle(bundle, limits);
  for await (const group of recordedGroups(hub, id)) {
    const request = requestOf(recipe, group, isLenient);
    const problem = problemAt(group.exampleIndex);
    if (problem !== undefined) {
      const replayed = group.rollouts.map(() => ({ problem }));
      yield { request, recorded: group.rollouts, replayed };
      continue;
    }
    const replayed = await process.replay(request).catch((error: unknown) => {
      if (!(error instanceof BundleRejection)) throw error;
      // The hub chose the seed and the positions of a declared run, so its examples are invented.
      const isInvented = recipe.declaration !== null && error.isOtherExample;
      if (!isLenient && !isInvented) throw error;
      return group.rollouts.map(() => ({ problem: error.message }));
    });
    yield { request, recorded: group.rollouts, replayed };
  }
}

function requestOf(
  recipe: Run["recipe"],
  { exampleIndex: index, exampleKey: key, rollouts }: RecordedGroup,
  isMovable: boolean,
): ReplayRequest {
  return {
    ...datasetOf(recipe),
    example: { index, key, isMovable },
    rollouts: rollouts.flatMap((rollout) => recordOf(rollout) ?? []),
  };
}

/** Asks a separate process, so that the replays have all of their time. Most runs need no question, and start none. */
async function sampleOf(
  hub: Hub,
  run: Run,
  bundle: Pick<BundleCode, "code" | "manifest">,
  { total, group, signal }: ReplayLimits,
): ReturnType<typeof declaredSample> {
  let asked: BundleProcess | undefined;
  const call: BundleProcess["call"] = async (method, params) => {
    asked ??= await startBundle(bundle, { total: total * sampleShare, group, signal });
    return await asked.call(method, params);
  };
  try {
    return await declaredSample(hub, run, { call, manifest: bundle.manifest });
  } finally {
    asked?.[Symbol.dispose]();
  }
}
