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
  const { replies, limit, seat, otherSeats = {}, branches } = rollout;
  const all = [replies, ...Object.values(otherSeats)].flat();
  if (limit !== undefined || branches !== undefined) return undefined;
  if (all.some(({ isTruncated }) => isTruncated === true)) return undefined;
  const repliesOf = new Map([
    [seat, replies.values()],
    ...Object.entries(otherSeats).map(([other, each]) => [other, each.values()] as const),
  ]);
  try {
    const seats = seat === undefined ? undefined : [...repliesOf.keys()];
    let view = await call("start", { ...dataset, example: { index, key }, seats });
    const { episode } = view;
    while (view["isDone"] !== true) {
      const asked = seat === undefined ? seat : String(view["seat"]);
      const next = repliesOf.get(asked)?.next();
      // A limit of its model may have ended another seat's replies.
      if (next?.done === true && asked !== seat) return undefined;
      if (next?.done !== false) return "it asks for a reply that the record does not have.";
      view = await call("respond", { episode, reply: next.value.message });
    }
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
