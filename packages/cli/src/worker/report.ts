import type { Environment, Rollout } from "@envs/core";
import { summarizer } from "@envs/core/engine";

import { scoreWeights } from "../environments/describe.ts";
import { scoreTable } from "../render/score-table.ts";

/** What rollouts came to, as a table. */
export function workerTable(environment: Environment, rollouts: readonly Rollout[]): string {
  return scoreTable(summaryOf(environment, rollouts), scoreWeights(environment));
}

/** The same for programs, rollout by rollout. */
export function workerJson(
  environment: Environment,
  rollouts: readonly Rollout[],
): Readonly<Record<string, unknown>> {
  const { counts, reward } = summaryOf(environment, rollouts);
  return {
    environment: environment.name,
    counts,
    reward,
    rollouts: rollouts.map((rollout) => ({
      example_id: rollout.exampleIndex,
      example_key: rollout.exampleKey,
      rollout_index: rollout.rolloutIndex,
      turns: rollout.trajectory.length,
      is_truncated: rollout.isTruncated,
      ...outcomeOf(rollout),
    })),
  };
}

function outcomeOf(rollout: Rollout): Readonly<Record<string, unknown>> {
  if (rollout.status === "scored")
    return { reward: rollout.reward, scores: rollout.scores, error: null };
  const { code, message } = rollout.error;
  return { reward: null, scores: {}, error: { code, message } };
}

function summaryOf(environment: Environment, rollouts: readonly Rollout[]) {
  const sum = summarizer(environment);
  for (const rollout of rollouts) sum.add(rollout);
  return sum.summary();
}
