import type { Rollout } from "@envs/core";

import type { Failures } from "./evidence.ts";
import { type Interval, intervalOf, meanOf } from "./interval.ts";

/** How much more `after` earns than `before`, paired by example. */
export function differenceOf(
  before: readonly Rollout[],
  after: readonly Rollout[],
): Interval | undefined {
  const earlier = rewardsByExample(before);
  const later = rewardsByExample(after);
  return intervalOf(
    [...earlier].flatMap(([key, rewards]) => {
      const others = later.get(key);
      return others === undefined ? [] : [meanOf(others) - meanOf(rewards)];
    }),
  );
}

/** The standard deviation of rewards around their example's mean. */
export function deviationOf(rollouts: readonly Rollout[]): number {
  const groups = [...rewardsByExample(rollouts).values()].filter(({ length }) => length > 1);
  const freedom = groups.reduce((sum, { length }) => sum + length - 1, 0);
  const squares = groups.reduce((sum, group) => {
    const mean = meanOf(group);
    return sum + group.reduce((each, reward) => each + (reward - mean) ** 2, 0);
  }, 0);
  return freedom === 0 ? 0 : Math.sqrt(squares / freedom);
}

/** The rewards of all rollouts that have one. */
export function rewardsOf(rollouts: readonly Rollout[]): number[] {
  return rollouts.flatMap((rollout) => (rollout.status === "scored" ? [rollout.reward] : []));
}

/** What went wrong among rollouts. */
export function failuresOf(rollouts: readonly Rollout[]): Failures {
  const codes: Record<string, number> = {};
  let message: string | undefined;
  for (const rollout of rollouts) {
    if (rollout.status === "scored") continue;
    const { code, message: said } = rollout.error;
    codes[code] = (codes[code] ?? 0) + 1;
    message ??= `${code}: ${said}`;
  }
  const failed = Object.values(codes).reduce((sum, count) => sum + count, 0);
  return { played: rollouts.length, failed, codes, ...(message === undefined ? {} : { message }) };
}

function rewardsByExample(rollouts: readonly Rollout[]): Map<string, number[]> {
  const rewards = new Map<string, number[]>();
  for (const rollout of rollouts) {
    if (rollout.status !== "scored") continue;
    const known = rewards.get(rollout.exampleKey);
    if (known === undefined) rewards.set(rollout.exampleKey, [rollout.reward]);
    else known.push(rollout.reward);
  }
  return rewards;
}
