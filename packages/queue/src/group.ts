import type { KeyedExample } from "@envs/core/engine";
import { v5 as uuidv5 } from "uuid";

import type { Group } from "./queue.ts";

/** The maximum number of rollouts in one job. Groups with group scores are not divided. */
export const maxBlock = 16;

/**
 * The id of a group's job, so that enqueuing it twice is enqueuing it once. It does not depend on which rollouts of the block are
 * missing: a coordinator that was killed may have written some of them.
 */
export function groupId(
  runId: string,
  { example, block }: Pick<Group, "example" | "block">,
): string {
  return uuidv5(JSON.stringify([example.key, block]), runId);
}

/** Divides the missing rollouts of an example into groups. */
export function groupsOf(
  example: KeyedExample,
  missing: readonly number[],
  { isDivisible }: { readonly isDivisible: boolean },
): readonly Group[] {
  const blocks = Map.groupBy(missing, (index) => (isDivisible ? Math.floor(index / maxBlock) : 0));
  return [...blocks].map(([block, rolloutIndices]) => ({ example, block, rolloutIndices }));
}
