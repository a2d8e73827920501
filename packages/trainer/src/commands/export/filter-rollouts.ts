import { FailureError } from "@envs/cli/kit";
import { fieldValue } from "@envs/cli/kit/runs";
import type { Rollout } from "@envs/core";
import type { Clause } from "@envs/viewer";

export interface FilterOptions {
  /** The clauses of `--where`, all of which must match. */
  readonly clauses: readonly Clause[];
  readonly includeTruncated?: boolean;
  readonly includeDuplicates?: boolean;
}

/** A reason and the number of rollouts excluded for it. A rollout counts only for the first reason that applies. */
export interface Exclusion {
  readonly reason: string;
  readonly count: number;
}

export interface FilterResult {
  readonly kept: readonly Rollout[];
  readonly excluded: readonly Exclusion[];
}

/** Selects rollouts to train on: scored, not truncated, matching all clauses, each conversation once. */
export function filterRollouts(
  rollouts: readonly Rollout[],
  { clauses, includeTruncated = false, includeDuplicates = false }: FilterOptions,
): FilterResult {
  const conversations = new Set<string>();
  const isNew = ({ prompt, completion }: Rollout): boolean => {
    const size = conversations.size;
    return conversations.add(JSON.stringify([prompt, completion])).size > size;
  };
  const filters: readonly (readonly [string, (rollout: Rollout) => boolean])[] = [
    ["failed", ({ status }) => status === "scored"],
    ["truncated", ({ isTruncated }) => includeTruncated || !isTruncated],
    ...clauses.map(
      ({ text, matches }) =>
        [
          `not ${text}`,
          (rollout: Rollout) => matches((name) => fieldValue(rollout, name)),
        ] as const,
    ),
    ["duplicate", (rollout) => includeDuplicates || isNew(rollout)],
  ];
  let kept = rollouts;
  const excluded: Exclusion[] = [];
  for (const [reason, passes] of filters) {
    const passed = kept.filter(passes);
    excluded.push({ reason, count: kept.length - passed.length });
    kept = passed;
  }
  return { kept, excluded };
}

/** The rollouts that match every clause. Throws a `FailureError` if none does. */
export function matchingRollouts({
  rollouts,
  clauses,
}: {
  readonly rollouts: readonly Rollout[];
  readonly clauses: readonly Clause[];
}): readonly Rollout[] {
  const kept = rollouts.filter((rollout) =>
    clauses.every(({ matches }) => matches((name) => fieldValue(rollout, name))),
  );
  if (kept.length === 0) throw new FailureError("No rollout matches, so no file was written.");
  return kept;
}
