import { scoreWeights } from "@envs/cli/kit/environments";
import { scoreTable } from "@envs/cli/kit/layout";
import type { Environment, Rollout } from "@envs/core";
import { summarizer } from "@envs/core/engine";

export function workerTable(environment: Environment, rollouts: readonly Rollout[]): string {
  return scoreTable(summaryOf(environment, rollouts), scoreWeights(environment));
}

/** Converts rollouts and their summary to the output of `--json`. */
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
      ...resultOf(rollout),
    })),
  };
}

function resultOf(rollout: Rollout): Readonly<Record<string, unknown>> {
  if (rollout.status === "scored")
    return { reward: rollout.reward, scores: rollout.scores, error: null };
  const { code, message } = rollout.error;
  return { reward: null, scores: {}, error: { code, message } };
}

function summaryOf(environment: Environment, rollouts: readonly Rollout[]) {
  const accumulator = summarizer(environment);
  for (const rollout of rollouts) accumulator.add(rollout);
  return accumulator.summary();
}
