import type { Rollout } from "@envs/core";
import { type Interval, meanInterval, meanOf } from "@envs/records";

import type { Failures } from "./evidence.ts";

/** The reward of `after` minus the reward of `before`, paired by example. */
export function rewardDifference(
  before: readonly Rollout[],
  after: readonly Rollout[],
): Interval | undefined {
  const rewardsBefore = rewardsByExample(before);
  const rewardsAfter = rewardsByExample(after);
  return meanInterval(
    [...rewardsBefore].flatMap(([key, rewards]) => {
      const others = rewardsAfter.get(key);
      return others === undefined ? [] : [meanOf(others) - meanOf(rewards)];
    }),
  );
}

/** The standard deviation of rewards around the mean of their example. */
export function rewardDeviation(rollouts: readonly Rollout[]): number {
  const groups = [...rewardsByExample(rollouts).values()].filter(({ length }) => length > 1);
  const degreesOfFreedom = groups.reduce((sum, { length }) => sum + length - 1, 0);
  const squares = groups.reduce((total, group) => {
    const mean = meanOf(group);
    return total + group.reduce((sum, reward) => sum + (reward - mean) ** 2, 0);
  }, 0);
  return degreesOfFreedom === 0 ? 0 : Math.sqrt(squares / degreesOfFreedom);
}

/** The standard deviation and the maximum of all rewards. */
export function rewardSpread(rollouts: readonly Rollout[]): { deviation: number; max: number } {
  const rewards = rewardsOf(rollouts);
  const mean = meanOf(rewards);
  const squares = rewards.reduce((sum, reward) => sum + (reward - mean) ** 2, 0);
  return {
    deviation: Math.sqrt(squares / Math.max(1, rewards.length - 1)),
    max: rewards.reduce((a, b) => Math.max(a, b), -Infinity),
  };
}

export function rewardsOf(rollouts: readonly Rollout[]): number[] {
  return rollouts.flatMap((rollout) => (rollout.status === "scored" ? [rollout.reward] : []));
}

export function failuresIn(rollouts: readonly Rollout[]): Failures {
  const codes: Record<string, number> = {};
  let firstMessage: string | undefined;
  for (const rollout of rollouts) {
    if (rollout.status === "scored") continue;
    const { code, message } = rollout.error;
    codes[code] = (codes[code] ?? 0) + 1;
    firstMessage ??= `${code}: ${message}`;
  }
  const failed = Object.values(codes).reduce((sum, count) => sum + count, 0);
  return { played: rollouts.length, failed, codes, message: firstMessage };
}

function rewardsByExample(rollouts: readonly Rollout[]): Map<string, number[]> {
  const rewards = new Map<string, number[]>();
  for (const rollout of rollouts) {
    if (rollout.status !== "scored") continue;
    const group = rewards.get(rollout.exampleKey);
    if (group === undefined) rewards.set(rollout.exampleKey, [rollout.reward]);
    else group.push(rollout.reward);
  }
  return rewards;
}
