import type { Rollout } from "@envs/core";
import type { Metadata } from "@envs/records";
import { readRollouts, type UnreadableLine } from "@envs/records/node";

/** A group of rollouts of one example, or a line that is not a rollout. */
export type StoredGroup = readonly Rollout[] | UnreadableLine;

/**
 * Reads the rollouts of a run: one by one, or in groups where scores compare the rollouts of an example. Only groups that are
 * not yet complete are in memory, so the run may be large.
 */
export async function* rolloutGroups(
  path: string,
  metadata: Metadata,
  isGrouped: boolean,
): AsyncGenerator<StoredGroup> {
  const sizes = isGrouped ? await groupSizes(path, metadata) : new Map<string, number>();
  const groups = new Map<string, Rollout[]>();
  for await (const read of readRollouts(path, metadata)) {
    if ("problem" in read) {
      yield read;
      continue;
    }
    const { exampleKey } = read;
    const group = [...(groups.get(exampleKey) ?? []), read];
    if (group.length < (sizes.get(exampleKey) ?? 1)) {
      groups.set(exampleKey, group);
      continue;
    }
    groups.delete(exampleKey);
    yield group.toSorted((a, b) => a.rolloutIndex - b.rolloutIndex);
  }
}

async function groupSizes(path: string, metadata: Metadata): Promise<ReadonlyMap<string, number>> {
  const sizes = new Map<string, number>();
  for await (const read of readRollouts(path, metadata, { withMedia: false }))
    if (!("problem" in read)) sizes.set(read.exampleKey, (sizes.get(read.exampleKey) ?? 0) + 1);
  return sizes;
}
