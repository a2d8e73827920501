import { ConfigError } from "@envs/core";

import { hasZeroVariance, type GroupRewards } from "./advantages.ts";

/**
 * Drops groups whose rewards are all equal, since they have no gradient (DAPO's dynamic sampling, Yu et al. 2025; SkyRL
 * `zero_variance_filter`). Groups with equal rewards are kept if `hasOtherSignal` returns true for them. `zeroVariance` is the
 * share of all groups that were dropped although they have two scored rollouts.
 */
export function dropZeroVariance<Group>(
  groups: readonly Group[],
  rewardsOf: (group: Group) => GroupRewards,
  hasOtherSignal: (group: Group) => boolean = () => false,
): { readonly groups: Group[]; readonly zeroVariance: number } {
  const kept: Group[] = [];
  let tooFew = 0;
  for (const group of groups) {
    const rewards = rewardsOf(group).filter((reward) => reward !== undefined);
    if (rewards.length < 2) tooFew += 1;
    else if (!hasZeroVariance(rewards) || hasOtherSignal(group)) kept.push(group);
  }
  return { groups: kept, zeroVariance: (groups.length - kept.length - tooFew) / groups.length };
}

/** Splits a batch into minibatches of whole groups, in order. Their sizes differ by at most one. */
export function minibatches<Group>(groups: readonly Group[], count: number): Group[][] {
  if (!Number.isSafeInteger(count) || count < 1 || count > groups.length)
    throw new ConfigError(
      `Cannot split ${groups.length} groups into ${count} minibatches of whole groups. Use 1 to ${groups.length} minibatches, or a larger batch.`,
    );
  const start = (part: number): number => Math.floor((part * groups.length) / count);
  return Array.from({ length: count }, (_, part) => groups.slice(start(part), start(part + 1)));
}
