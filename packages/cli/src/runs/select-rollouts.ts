import type { Rollout } from "@envs/core";

import { fieldOf, fieldsOf } from "./rollout-fields.ts";
import { parseWhere } from "./where.ts";

/** What rollouts can be sorted by. */
export const sortKeys = ["reward", "turns", "tokens"] as const;
export type SortKey = (typeof sortKeys)[number];

/** Which rollouts of a run are meant, and in which order. */
export interface Selection {
  readonly where?: string | undefined;
  readonly isFailedOnly?: boolean;
  readonly sort?: SortKey | undefined;
  readonly isReversed?: boolean;
  readonly limit?: number | undefined;
}

/** The rollouts that are meant. Throws a `UsageError` if the expression is wrong. */
export function select(rollouts: readonly Rollout[], selection: Selection): readonly Rollout[] {
  const { where, isFailedOnly = false, sort, isReversed = false, limit } = selection;
  const holds =
    where === undefined || where.trim() === "" ? () => true : parseWhere(where, fieldsOf(rollouts));
  const kept = rollouts.filter(
    (rollout) =>
      (!isFailedOnly || rollout.status === "failed") && holds((name) => fieldOf(rollout, name)),
  );
  const placed = kept.toSorted(sort === undefined ? byPlace : bySize(sort, isReversed));
  return placed.slice(0, limit);
}

/** Rollouts are stored as they finish; read, they come example by example. */
function byPlace(a: Rollout, b: Rollout): number {
  return a.exampleIndex - b.exampleIndex || a.rolloutIndex - b.rolloutIndex;
}

/** From the least to the greatest; rollouts without the value come last in either direction. */
function bySize(key: SortKey, isReversed: boolean): (a: Rollout, b: Rollout) => number {
  return (a, b) => {
    const [left, right] = [fieldOf(a, key), fieldOf(b, key)];
    if (typeof left !== "number" || typeof right !== "number")
      return Number(typeof left !== "number") - Number(typeof right !== "number") || byPlace(a, b);
    return (isReversed ? right - left : left - right) || byPlace(a, b);
  };
}
