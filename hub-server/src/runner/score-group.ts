import type { Rollout, ScoredRollout } from "@envs/core";
import {
  canonicalJson,
  isFiltered,
  messageOf,
  noUsage,
  addUsage,
  now,
  omitUndefined,
} from "@envs/core/engine";
import type { ReplayedRollout } from "@envs/records/bundle";

import { ReplayProblem } from "../rescoring/bundle-code.ts";
import type { BundleProcess } from "../rescoring/bundle-process.ts";
import type { EpisodeSetting, PlayedEpisode } from "./play-episode.ts";

/**
 * Scores the rollouts of one example by a replay, as the hub scores those of users. Throws a {@link ReplayProblem} if the code
 * replays another conversation than it played.
 */
export async function scoreGroup(
  { replay }: Pick<BundleProcess, "replay">,
  { dataset, environment }: Pick<EpisodeSetting, "dataset"> & { readonly environment: string },
  group: readonly PlayedEpisode[],
): Promise<readonly Rollout[]> {
  const complete = group.filter(({ error }) => error === undefined);
  const start = now();
  const [first] = complete;
  const results =
    first === undefined
      ? []
      : await replay({
          ...dataset,
          example: { index: first.keyed.index, key: first.keyed.key },
          rollouts: complete.map(({ recorded }) => recorded),
        });
  const scoring = { start, end: now() };
  return group.map((played) => {
    const { keyed, rolloutIndex, trajectory, setup, generation, recorded } = played;
    const isKnown = trajectory.every(({ usage }) => usage !== undefined);
    const base = {
      environment,
      example: keyed.example,
      exampleIndex: keyed.index,
      exampleKey: keyed.key,
      rolloutIndex,
      prompt: played.prompt,
      completion: played.completion,
      trajectory,
      isTruncated: trajectory.some(({ finish }) => finish === "length"),
      isFiltered: isFiltered(trajectory),
      usage: isKnown
        ? trajectory.reduce((sum, { usage }) => addUsage(sum, usage), noUsage)
        : undefined,
      ...omitUndefined({ seat: recorded.seat }),
      timing: { setup, generation, scoring },
    };
    const result = results[complete.indexOf(played)];
    const error = played.error ?? problemOf(result);
    if (error !== undefined) return failed(base, error);
    return scored(base, result as Replayed);
  });
}

type Replayed = Extract<ReplayedRollout, { readonly reward: number }>;
type Base = Omit<ScoredRollout, "status" | "stopReason" | "reward" | "scores">;

function scored(base: Base, result: Replayed): Rollout {
  const { reward, scores, stopReason, isTruncated, prompt, completion, unjudged = {} } = result;
  const judged = Object.keys(unjudged);
  if (judged.length > 0)
    throw new ReplayProblem(`The hub does not ask judges, which ${judged.join(", ")} needs.`);
  const before = canonicalJson([...base.prompt, ...base.completion]);
  if (before !== canonicalJson([...prompt, ...completion]))
    throw new ReplayProblem(
      `The bundle plays example ${base.exampleIndex} otherwise than it replays it.`,
    );
  return { status: "scored", ...base, prompt, completion, isTruncated, stopReason, reward, scores };
}

function problemOf(result: ReplayedRollout | undefined): Error | undefined {
  return result?.problem === undefined ? undefined : new Error(result.problem);
}

function failed(base: Base, error: Error): Rollout {
  const { code = "environment", isFatal = false } = error as Partial<RolloutFailure>;
  const message = messageOf(error);
  return { status: "failed", ...base, error: { code, message, chain: [message], isFatal } };
}

type RolloutFailure = Extract<Rollout, { readonly status: "failed" }>["error"];
