import { ConfigError, random, type Seed } from "@envs/core";

import { hasZeroVariance, type GroupRewards } from "./advantages.ts";

/** What became of groups that were looked through. */
export interface GroupReport {
  readonly groups: number;
  readonly kept: number;
  /** All rewards were equal: nothing to learn. */
  readonly zeroVariance: number;
  /** Fewer than two rollouts were left to compare; the others failed. */
  readonly tooFew: number;
}

/**
 * Keeps groups whose rewards differ, since the others have no gradient (DAPO's dynamic sampling, Yu et al. 2025; SkyRL
 * `zero_variance_filter`). The report says how many more must be sampled to fill the batch.
 */
export function dropZeroVariance<Group>(
  groups: readonly Group[],
  rewardsOf: (group: Group) => GroupRewards,
): { readonly groups: Group[]; readonly report: GroupReport } {
  const kept: Group[] = [];
  let tooFew = 0;
  for (const group of groups) {
    const rewards = rewardsOf(group).filter((reward) => reward !== undefined);
    if (rewards.length < 2) tooFew += 1;
    else if (!hasZeroVariance(rewards)) kept.push(group);
  }
  const zeroVariance = groups.length - kept.length - tooFew;
  return {
    groups: kept,
    report: { groups: groups.length, kept: kept.length, zeroVariance, tooFew },
  };
}

/** How {@link stratifiedBatches} are made. */
export interface StratifiedOptions {
  /** Groups per batch; the last batch may have fewer. */
  readonly batchSize: number;
  readonly seed?: Seed;
}

/**
 * Cuts groups into batches that each span the strata, such as difficulties, in nearly the proportion that they have in
 * all: exactly, where equally large strata divide the batch. Same groups and seed, same batches.
 */
export function stratifiedBatches<Group>(
  groups: readonly Group[],
  stratumOf: (group: Group) => string | number,
  options: StratifiedOptions,
): Group[][] {
  const { batchSize, seed = 0 } = options;
  if (!Number.isSafeInteger(batchSize) || batchSize < 1)
    throw new ConfigError(`A batch needs at least one group, not ${batchSize}. Raise batchSize.`);
  const spread = [...Map.groupBy(groups, stratumOf)].flatMap(([stratum, members]) => {
    const draw = random(seed, "stratum", stratum);
    // Each stratum is laid out evenly over [0, 1), from a place of its own.
    const offset = draw.next();
    return draw
      .shuffle(members)
      .map((group, place) => ({ group, position: (place + offset) / members.length }));
  });
  const ordered = spread.toSorted((left, right) => left.position - right.position);
  return chunks(
    ordered.map(({ group }) => group),
    Math.ceil(ordered.length / batchSize),
    (batch) => batch * batchSize,
  );
}

/** Cuts a batch into minibatches of whole groups, in order, whose sizes differ by at most one. */
export function minibatches<Group>(groups: readonly Group[], count: number): Group[][] {
  if (!Number.isSafeInteger(count) || count < 1 || count > groups.length)
    throw new ConfigError(
      `${groups.length} groups cannot be cut into ${count} minibatches of whole groups. Choose between 1 and ${groups.length}, or make the batch larger.`,
    );
  return chunks(groups, count, (part) => Math.floor((part * groups.length) / count));
}

function chunks<Item>(
  items: readonly Item[],
  count: number,
  startOf: (chunk: number) => number,
): Item[][] {
  return Array.from({ length: count }, (_, chunk) =>
    items.slice(startOf(chunk), startOf(chunk + 1)),
  );
}
