import type { Rollout, ScoredRollout } from "@envs/core";
import { canonicalJson, mapValues, omitUndefined } from "@envs/core/engine";

import type { RecordedReply, RecordedRollout, ReplayedRollout } from "./methods.ts";
import { recordedBranch } from "./recorded-sub-model.ts";

/** One part of a rollout that a replay did not reproduce. */
export interface ReplayDifference {
  /** `reward`, `scores.<name>`, `stopReason`, `conversation`, or `replay` if the rollout cannot be replayed. */
  readonly field: string;
  readonly recorded: unknown;
  readonly replayed: unknown;
}

/** What a bundle receives to replay a rollout; `undefined` for a failed one. It contains no scores, so they cannot be repeated. */
export function recordOf(rollout: Rollout): RecordedRollout | undefined {
  if (rollout.status === "failed") return undefined;
  const { stopReason, seat } = rollout;
  const replies = repliesOf(rollout);
  const otherSeats = rollout.otherSeats && mapValues(rollout.otherSeats, repliesOf);
  const branches = rollout.branches?.map(recordedBranch);
  const limits: readonly RecordedRollout["limit"][] = ["tokens", "context"];
  const limit = limits.find((name) => name === stopReason);
  return { replies, ...omitUndefined({ branches, limit, seat, otherSeats }) };
}

function repliesOf({ trajectory }: Pick<Rollout, "trajectory">): readonly RecordedReply[] {
  return trajectory.map(({ message, finish }) =>
    finish === "length" ? { message, isTruncated: true } : { message },
  );
}

/**
 * Compares a recorded rollout with its replay. Numbers may differ by `tolerance`, relative to the larger one if that exceeds 1:
 * the last bits of functions such as `Math.pow` differ between JavaScript engines.
 */
export function compareReplay(
  recorded: ScoredRollout,
  replayed: ReplayedRollout,
  tolerance: number,
): readonly ReplayDifference[] {
  if (replayed.problem !== undefined)
    return [{ field: "replay", recorded: recorded.stopReason, replayed: replayed.problem }];
  const differences: ReplayDifference[] = [];
  const compare = (field: string, before: unknown, after: unknown): void => {
    if (!isClose(before, after, tolerance))
      differences.push({ field, recorded: before ?? null, replayed: after ?? null });
  };
  const { unjudged = {} } = replayed;
  compare("reward", recorded.reward, rewardOf(recorded, replayed));
  for (const name of Object.keys({ ...recorded.scores, ...replayed.scores }))
    if (!Object.hasOwn(unjudged, name))
      compare(`scores.${name}`, recorded.scores[name], replayed.scores[name]);
  compare("stopReason", recorded.stopReason, replayed.stopReason);
  const index = differentMessage(conversationOf(recorded), conversationOf(replayed));
  if (index !== undefined)
    compare("conversation", conversationOf(recorded)[index], conversationOf(replayed)[index]);
  return differences;
}

/** The reward of a replay, with the recorded verdicts of judges: a replay asks none, and they are not rescored. */
export function rewardOf(
  recorded: ScoredRollout,
  { reward, unjudged = {} }: Extract<ReplayedRollout, { readonly reward: number }>,
): number {
  return Object.entries(unjudged).reduce(
    (sum, [name, weight]) => sum + weight * (recorded.scores[name] ?? 0),
    reward,
  );
}

/** The first place at which a replay is another conversation than the record. */
export interface Divergence {
  /** The position of the message in the conversation, from 0; absent if the replay did not reach its end. */
  readonly message?: number | undefined;
  readonly recorded?: unknown;
  readonly replayed?: unknown;
  readonly problem: string;
}

/** Compares the messages of a replay with those of the record; `undefined` if all are equal. */
export function divergenceOf(
  recorded: ScoredRollout,
  replayed: ReplayedRollout,
): Divergence | undefined {
  if (replayed.problem !== undefined) return { problem: replayed.problem };
  const [before, after] = [conversationOf(recorded), conversationOf(replayed)];
  const index = differentMessage(before, after);
  if (index === undefined) return undefined;
  return {
    message: index,
    recorded: before[index] ?? null,
    replayed: after[index] ?? null,
    problem: `Message ${index} is another one.`,
  };
}

type Conversation = Pick<ScoredRollout, "prompt" | "completion">;

function conversationOf({ prompt, completion }: Conversation): readonly unknown[] {
  return [...prompt, ...completion];
}

function differentMessage(
  before: readonly unknown[],
  after: readonly unknown[],
): number | undefined {
  const length = Math.max(before.length, after.length);
  for (let index = 0; index < length; index += 1)
    if (canonicalJson(before[index] ?? null) !== canonicalJson(after[index] ?? null)) return index;
  return undefined;
}

function isClose(before: unknown, after: unknown, tolerance: number): boolean {
  if (typeof before === "number" && typeof after === "number")
    return Math.abs(before - after) <= tolerance * Math.max(1, Math.abs(before), Math.abs(after));
  return before === after;
}
