import { canonicalJson } from "@envs/core/engine";
import type { ReplayedRollout, ReplayRequest } from "@envs/records/bundle";

import { BundleRejection } from "./bundle-code.ts";
import type { BundleProcess } from "./bundle-process.ts";

/**
 * Plays the first rollout of a group step by step, as the player in a browser does, and compares its scores with those of its
 * replay. Returns the difference; `undefined` without one, and for a rollout that only a replay can repeat.
 */
export async function playedOtherwise(
  { call }: BundleProcess,
  { rollouts: [rollout], example: { index, key }, ...dataset }: ReplayRequest,
  replayed: ReplayedRollout,
): Promise<string | undefined> {
  if (rollout === undefined || replayed.problem !== undefined) return undefined;
  const { replies, limit, seat, otherSeats, branches } = rollout;
  const isPlayable = [limit, otherSeats, branches].every((part) => part === undefined);
  if (!isPlayable || replies.some(({ isTruncated }) => isTruncated === true)) return undefined;
  try {
    const seats = seat === undefined ? undefined : [seat];
    const { episode } = await call("start", { ...dataset, example: { index, key }, seats });
    for (const { message } of replies) await call("respond", { episode, reply: message });
    const { reward, scores } = await call("score", { episode });
    await call("close", { episode });
    const before = canonicalJson([replayed.reward, replayed.scores]);
    if (before === canonicalJson([reward ?? null, scores ?? null])) return undefined;
    return `its reward is ${String(reward)} when it is played, and ${replayed.reward} when it is replayed.`;
  } catch (error) {
    if (error instanceof BundleRejection) return error.message;
    throw error;
  }
}
