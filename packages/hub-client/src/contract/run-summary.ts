import * as z from "zod";

const count = z.int().min(0);

const statistics = z.object({
  count,
  positive: count.describe("Values above 0"),
  mean: z.number().nullable(),
  std: z.number().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
});

/** A mean and its 95 % bootstrap interval over examples. */
const interval = z.object({ mean: z.number(), low: z.number(), high: z.number() });

/** The numbers of a run. The hub computes all of them from the rollouts. */
export const runSummary = z
  .object({
    examples: count,
    counts: z.object({
      total: count,
      scored: count,
      failed: count,
      truncated: count,
      filtered: count,
    }),
    reward: statistics,
    interval: interval
      .nullable()
      .describe("The mean reward of the scored rollouts; null for fewer than two examples"),
    ranked: z
      .object({
        failedReward: z.number().describe("What a failed rollout counts: the lower bound"),
        reward: z.number().nullable(),
        interval: interval.nullable(),
        passAtK: z.record(z.string(), z.number()),
      })
      .describe("The numbers of leaderboards, in which failed rollouts count"),
    scores: z.record(z.string(), statistics.extend({ interval: interval.nullable() })),
    failures: z.record(z.string(), count).describe("Failed rollouts by error code"),
    failureReasons: z.array(z.object({ code: z.string(), message: z.string(), count })),
    stopReasons: z.record(z.string(), count),
    passAtK: z
      .record(z.string(), z.number())
      .describe(
        "By k: the unbiased estimate that one of k rollouts passes, averaged over examples",
      ),
    passHatK: z
      .record(z.string(), z.number())
      .describe("By k: the unbiased estimate that all of k rollouts pass, averaged over examples"),
    histogram: z.array(z.object({ from: z.number(), to: z.number(), count })),
    usage: z.object({
      inputTokens: count,
      outputTokens: count,
      cacheReadTokens: count
        .optional()
        .describe("Of the input tokens; absent if no server reported it"),
      cacheWriteTokens: count
        .optional()
        .describe("Of the input tokens; absent if no server reported it"),
      unknownRollouts: count.describe("Rollouts with turns whose tokens are unknown"),
    }),
    turns: statistics,
    toolErrors: z.object({ count, message: z.string().nullable() }),
    tools: z
      .record(z.string(), z.object({ calls: count, errors: count, seconds: z.number() }))
      .optional()
      .describe("How often the model called each tool; absent in runs pushed before"),
    judges: z
      .record(
        z.string(),
        z.object({ calls: count, cached: count, inputTokens: count, outputTokens: count }),
      )
      .optional()
      .describe("What the scores asked of each judge; absent in runs pushed before"),
    retries: z
      .record(z.string(), count)
      .optional()
      .describe("Failed attempts that were played again, by error code"),
    cost: z.number().nullable().describe("By the prices of the run; null without prices"),
  })
  .meta({ id: "RunSummary" });

/** The numbers of a run. The hub computes all of them from the rollouts. */
export type RunSummary = z.output<typeof runSummary>;
