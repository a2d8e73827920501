import type { Rollout } from "@envs/core";
import { meanInterval, meanOf } from "@envs/records";

import { scrambledName } from "./judge-probes.ts";
import type { ReplyForm } from "./reply-form.ts";
import { rewardsOf } from "./rewards.ts";

/** Rollouts of the first policy, and of replies that were made of its replies. */
export interface ReplyPlays {
  /** The name of the first policy's probe. */
  readonly name: string;
  readonly first: readonly Rollout[];
  /** The first policy again. */
  readonly again: readonly Rollout[];
  readonly wrong: ReadonlyMap<string, readonly Rollout[]>;
  readonly form: ReplyForm;
  /** What the replies say, without duplicates. */
  readonly contents: readonly string[];
  /** The same as in the evidence. */
  readonly isInformed: boolean;
}

/** The rewards of the first policy and of a wrong reply on the same example. */
interface RewardPair {
  readonly first: number;
  readonly other: number;
}

/** Pairs rollouts of the same example. Leaves out rollouts that failed, and those with equal replies. */
export function pairsOf(
  first: readonly Rollout[],
  others: readonly Rollout[],
): readonly RewardPair[] {
  const byKey = new Map(first.map((rollout) => [keyOf(rollout), rollout]));
  return others.flatMap((other) => {
    const rollout = byKey.get(keyOf(other));
    if (rollout?.status !== "scored" || other.status !== "scored") return [];
    const isEqual = JSON.stringify(repliesIn(rollout)) === JSON.stringify(repliesIn(other));
    return isEqual ? [] : [{ first: rollout.reward, other: other.reward }];
  });
}

export function repliesIn({ trajectory }: Rollout): readonly string[] {
  return trajectory.map(({ message }) => message.content);
}

/** The rewards of replies as shares: 0 is the lowest mean of replies without an answer, 1 that of the first policy. */
export interface RewardScale {
  readonly floor: number;
  readonly best: number;
  share(reward: number): number;
}

/** Returns `undefined` if the first policy does not surely earn more than a reply without an answer. */
export function scaleOf({ first, wrong }: ReplyPlays): RewardScale | undefined {
  const best = meanOf(rewardsOf(first));
  const floors = [scrambledName, "empty replies", "replies of one letter"].flatMap((name) => {
    const rollouts = wrong.get(name) ?? [];
    return gainOf(pairsOf(rollouts, first)) > 0 ? [meanOf(rewardsOf(rollouts))] : [];
  });
  if (floors.length === 0) return undefined;
  const floor = Math.min(...floors);
  return { floor, best, share: (reward) => (reward - floor) / (best - floor) };
}

const minPairs = 8;

/** By how much a reply earns more than the first policy, if it surely does. */
export function gainOf(pairs: readonly RewardPair[]): number {
  if (pairs.length < minPairs) return 0;
  const interval = meanInterval(pairs.map(({ first, other }) => other - first))!;
  return interval.low > 1e-9 ? interval.mean : 0;
}

/** The mean reward of the wrong replies in pairs; `undefined` for too few. */
export function meanOther(pairs: readonly RewardPair[]): number | undefined {
  return pairs.length < minPairs ? undefined : meanOf(pairs.map(({ other }) => other));
}

export function keyOf({ exampleKey, rolloutIndex }: Rollout): string {
  return `${exampleKey} ${rolloutIndex}`;
}
