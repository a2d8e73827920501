import type { Rollout } from "@envs/core";

import { fieldOf } from "../runs/rollout-fields.ts";
import type { Clause } from "../runs/where.ts";

export interface SiftOptions {
  readonly clauses: readonly Clause[];
  readonly keepsTruncated: boolean;
  readonly keepsDuplicates: boolean;
}

/** Why a rollout was left out, and how many were. Each is counted once, at the first reason that holds. */
export interface LeftOut {
  readonly reason: string;
  readonly count: number;
}

export interface Sifted {
  readonly kept: readonly Rollout[];
  readonly leftOut: readonly LeftOut[];
}

/** Chooses the rollouts to learn from: finished, as asked for, and each conversation once. */
export function sift(
  rollouts: readonly Rollout[],
  { clauses, keepsTruncated, keepsDuplicates }: SiftOptions,
): Sifted {
  const seen = new Set<string>();
  const isNew = ({ prompt, completion }: Rollout): boolean => {
    const before = seen.size;
    return seen.add(JSON.stringify([prompt, completion])).size > before;
  };
  const sieves: readonly (readonly [string, (rollout: Rollout) => boolean])[] = [
    ["failed", ({ status }) => status === "scored"],
    ["truncated", ({ isTruncated }) => keepsTruncated || !isTruncated],
    ...clauses.map(
      ({ text, holds }) =>
        [`not ${text}`, (rollout: Rollout) => holds((name) => fieldOf(rollout, name))] as const,
    ),
    ["duplicate", (rollout) => keepsDuplicates || isNew(rollout)],
  ];
  let kept = rollouts;
  const leftOut: LeftOut[] = [];
  for (const [reason, passes] of sieves) {
    const passed = kept.filter(passes);
    leftOut.push({ reason, count: kept.length - passed.length });
    kept = passed;
  }
  return { kept, leftOut };
}
