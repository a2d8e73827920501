import { createSummarizer, type RolloutFacts } from "@envs/core/engine";
import type { Run, RunSummary } from "@envs/hub-client";
import { costOf } from "@envs/models/prices";
import { bootstrapMean } from "@envs/records";

interface SummaryOptions {
  readonly passThreshold: number;
  readonly price: Run["recipe"]["price"];
}

/**
 * Computes the numbers of a run from the facts of its rollouts. Failed rollouts count as failures, never as a reward of 0.
 * The intervals draw from a fixed seed, so that the same rollouts always give the same numbers.
 */
export function summarize(
  facts: readonly RolloutFacts[],
  { passThreshold, price }: SummaryOptions,
): RunSummary {
  const scored = facts.filter((rollout) => rollout.status === "scored");
  const names = [...new Set(scored.flatMap(({ scores }) => Object.keys(scores)))];
  const summarizer = createSummarizer(names, passThreshold);
  for (const rollout of facts) summarizer.addFacts(rollout);
  const {
    scores,
    usage,
    toolErrors,
    failureReasons,
    judgeUsage = {},
    ...summary
  } = summarizer.summary();
  const groups = [...Map.groupBy(scored, ({ exampleKey }) => exampleKey).values()];
  const intervalOf = (valueOf: (rollout: (typeof scored)[number]) => number | null | undefined) =>
    bootstrapMean(groups.map((group) => group.flatMap((rollout) => valueOf(rollout) ?? []))) ??
    null;
  return {
    examples: new Set(facts.map(({ exampleKey }) => exampleKey)).size,
    counts: summary.counts,
    reward: summary.reward,
    interval: intervalOf(({ reward }) => reward),
    scores: Object.fromEntries(
      names.map((name) => [
        name,
        { ...scores[name]!, interval: intervalOf((rollout) => rollout.scores[name]) },
      ]),
    ),
    failures: { ...summary.failures },
    failureReasons: failureReasons.map(({ code, message, count }) => ({ code, message, count })),
    stopReasons: { ...summary.stopReasons },
    passAtK: { ...summary.passAtK },
    passHatK: { ...summary.passHatK },
    histogram: [...summary.histogram],
    usage,
    turns: summary.turns,
    toolErrors: { count: toolErrors.count, message: toolErrors.message ?? null },
    tools: { ...summary.tools },
    judges: Object.fromEntries(
      Object.entries(judgeUsage).map(([name, { calls, cached, inputTokens, outputTokens }]) => [
        name,
        { calls, cached, inputTokens, outputTokens },
      ]),
    ),
    retries: { ...summary.retries },
    cost: price === null ? null : costOf(usage, price),
  };
}
