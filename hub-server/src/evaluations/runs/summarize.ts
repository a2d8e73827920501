import { createSummarizer, type RolloutFacts } from "@envs/core/engine";
import type { EnvironmentManifest, Run, RunSummary } from "@envs/hub-client";
import { costOf } from "@envs/models/prices";
import { bootstrapMean } from "@envs/records";

interface SummaryOptions {
  readonly passThreshold: number;
  readonly price: Run["recipe"]["price"];
  /** What a failed rollout counts on leaderboards. */
  readonly failedReward: number;
}

/**
 * The lower bound of the reward: the least weighted sum that the ranges of the scores allow. With a score without a range, the
 * lowest reward of the run, at most 0.
 */
export function failedRewardOf(
  scores: EnvironmentManifest["scores"],
  facts: readonly RolloutFacts[],
): number {
  let bound = 0;
  for (const { weight, range } of scores) {
    if (weight === 0) continue;
    if (range === undefined) return lowestReward(facts);
    bound += Math.min(weight * range[0], weight * range[1]);
  }
  return bound;
}

function lowestReward(facts: readonly RolloutFacts[]): number {
  return facts.reduce(
    (lowest, rollout) => (rollout.status === "scored" ? Math.min(lowest, rollout.reward) : lowest),
    0,
  );
}

/**
 * Computes the numbers of a run from the facts of its rollouts. Failed rollouts have a reward only in the ranked numbers. The intervals draw from a fixed seed, so that the same rollouts always give the same numbers.
 */
export function summarize(
  facts: readonly RolloutFacts[],
  { passThreshold, price, failedReward }: SummaryOptions,
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
  const intervalOf = (valueOf: (rollout: Scored) => number | null | undefined) =>
    intervalBy(scored, valueOf);
  return {
    examples: new Set(facts.map(({ exampleKey }) => exampleKey)).size,
    counts: summary.counts,
    reward: summary.reward,
    interval: intervalOf(({ reward }) => reward),
    ranked: rankedNumbers(facts, { passThreshold, failedReward }),
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

type Scored = Extract<RolloutFacts, { status: "scored" }>;

/** The interval of a mean: a bootstrap over examples. */
function intervalBy(
  rollouts: readonly Scored[],
  valueOf: (rollout: Scored) => number | null | undefined,
): RunSummary["interval"] {
  const groups = [...Map.groupBy(rollouts, ({ exampleKey }) => exampleKey).values()];
  const values = groups.map((group) => group.flatMap((rollout) => valueOf(rollout) ?? []));
  return bootstrapMean(values) ?? null;
}

/** The numbers of leaderboards: those of the same run in which failed rollouts have the lowest reward. */
function rankedNumbers(
  facts: readonly RolloutFacts[],
  { passThreshold, failedReward }: Pick<SummaryOptions, "passThreshold" | "failedReward">,
): RunSummary["ranked"] {
  const counted = facts.map((rollout): Scored =>
    rollout.status === "scored"
      ? rollout
      : { ...rollout, status: "scored", reward: failedReward, scores: {}, stopReason: "failed" },
  );
  const summarizer = createSummarizer([], passThreshold);
  for (const rollout of counted) summarizer.addFacts(rollout);
  const { reward, passAtK } = summarizer.summary();
  return {
    failedReward,
    reward: reward.mean,
    interval: intervalBy(counted, ({ reward }) => reward),
    passAtK: { ...passAtK },
  };
}
