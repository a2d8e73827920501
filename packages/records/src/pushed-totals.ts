import type { Rollout } from "@envs/core";
import { createSummarizer } from "@envs/core/engine";

import { exampleSetHash } from "./example-set-hash.ts";

/** The totals of a run that is pushed, which a hub compares with its own count. */
export interface PushedTotals {
  readonly exampleSet: string;
  readonly totals: {
    readonly rollouts: number;
    readonly scored: number;
    readonly reward: number | null;
    readonly inputTokens: number;
    readonly outputTokens: number;
  };
}

/** Counts the rollouts of a run that is pushed, one by one. */
export function pushedTotals() {
  const keys = new Set<string>();
  const summarizer = createSummarizer([]);
  return {
    add(rollout: Rollout): void {
      keys.add(rollout.exampleKey);
      summarizer.add(rollout);
    },
    result(): PushedTotals {
      const { counts, reward, usage } = summarizer.summary();
      const { total: rollouts, scored } = counts;
      const { inputTokens, outputTokens } = usage;
      const totals = { rollouts, scored, reward: reward.mean, inputTokens, outputTokens };
      return { exampleSet: exampleSetHash(keys), totals };
    },
  };
}
