import type { Environment, JudgeModels } from "@envs/core";
import {
  episode,
  type Episode,
  type KeyedExample,
  mapValues,
  messageOf,
  omitUndefined,
  type Player,
  scoreEpisodes,
} from "@envs/core/engine";

import type { RecordedReply, RecordedRollout, ReplayedRollout } from "./methods.ts";
import { recordedSubModel } from "./recorded-sub-model.ts";

interface ReplayOptions {
  readonly seed?: number | undefined;
  readonly maxTurns?: number | undefined;
  readonly rollouts: readonly RecordedRollout[];
  /** Asks these judges. Default: scores that need a judge are `null`. */
  readonly judge?: JudgeModels | undefined;
  /** The time limit of each call of the environment's code, in milliseconds. Default: none. */
  readonly hookTimeout?: number | undefined;
}

type Played = { readonly played: Episode } | { readonly problem: string };

/** Plays recorded rollouts of one example again, and scores them as one group. */
export async function replayRollouts(
  environment: Environment,
  { example, key }: KeyedExample,
  { seed, maxTurns, rollouts, judge, hookTimeout = Infinity }: ReplayOptions,
): Promise<readonly ReplayedRollout[]> {
  const played: Played[] = [];
  for (const recorded of rollouts) {
    const subModel = recordedSubModel(recorded.branches);
    const { seat, otherSeats = {}, limit } = recorded;
    const players = mapValues(otherSeats, (replies) => recordedPlayer(replies, limit));
    const options = { key, seed, maxTurns, subModel, judge, hookTimeout, seat, players };
    const restored = episode(environment, example, options);
    const problem = await replayProblem(restored, recorded);
    played.push(problem === undefined ? { played: restored } : { problem });
    if (problem !== undefined) await restored.close();
  }
  const complete = played.flatMap((entry) => ("played" in entry ? [entry.played] : []));
  const outcomes = await scoreEpisodes(environment, complete, { skipJudged: judge === undefined });
  const results = played.map((entry): ReplayedRollout => {
    if ("problem" in entry) return entry;
    const outcome = outcomes[complete.indexOf(entry.played)]!;
    if (outcome instanceof Error) return { problem: outcome.message };
    const { prompt, completion } = entry.played;
    const { stopReason, isTruncated } = entry.played.scoreContext();
    const { reward, scores, unjudged, feedback } = outcome;
    const replayed = { reward, scores, stopReason, isTruncated, prompt, completion, unjudged };
    const { usage: judgeUsage } = entry.played.conversation.judges;
    return Object.assign(replayed, omitUndefined({ feedback, judgeUsage }));
  });
  for (const restored of complete) await restored.close();
  return results;
}

/** A player that repeats the recorded replies of another seat. */
function recordedPlayer(
  replies: readonly RecordedReply[],
  limit: RecordedRollout["limit"] = "context",
): Player {
  const remaining = replies.values();
  return async () => {
    const { value } = remaining.next();
    if (value === undefined) return limit;
    return { message: value.message, finish: value.isTruncated === true ? "length" : "stop" };
  };
}

/** Steps an episode with all recorded replies. Returns why the record cannot be one of this environment. */
async function replayProblem(
  restored: Episode,
  { replies, limit }: RecordedRollout,
): Promise<string | undefined> {
  try {
    await restored.start();
    for (const [index, { message, isTruncated }] of replies.entries()) {
      if (restored.stopReason !== undefined)
        return `The episode ended after ${index} replies, but the record has ${replies.length}.`;
      await restored.step(message, { isTruncated });
    }
    if (limit !== undefined) restored.stop(limit);
    return restored.stopReason === undefined
      ? `The episode has not ended after the ${replies.length} replies of the record.`
      : undefined;
  } catch (error) {
    return messageOf(error);
  }
}
