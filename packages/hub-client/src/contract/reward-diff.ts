import * as z from "zod";

import { packageName, type Routes } from "./route.ts";

const scoreChange = z.object({
  name: z.string().describe("reward, or the name of a score"),
  changed: z.int().describe("Rollouts with another value"),
  before: z.number().nullable().describe("The mean"),
  after: z.number().nullable(),
  largest: z.number().describe("The largest absolute change of one rollout"),
});

const modelChange = z.object({
  model: z.string(),
  rollouts: z.int(),
  before: z.number().describe("The mean reward"),
  after: z.number(),
  rankBefore: z.int(),
  rankAfter: z.int(),
});

const rewardDiff = z
  .discriminatedUnion("outcome", [
    z.object({ outcome: z.literal("waiting") }),
    z.object({ outcome: z.literal("impossible"), reason: z.string() }),
    z.object({
      outcome: z.literal("compared"),
      runs: z.int(),
      rollouts: z.int(),
      rescored: z.int().describe("Rollouts with another reward or score"),
      conversations: z.int().describe("Rollouts to which the environment answers differently"),
      unplayable: z.int().describe("Rollouts that cannot be replayed"),
      problem: z.string().nullable().describe("Why the first of them cannot"),
      scores: z.array(scoreChange),
      models: z.array(modelChange).describe("The best first, by the mean reward before"),
      isSame: z.boolean(),
    }),
  ])
  .meta({ id: "RewardDiff" });

/** The reward changes after replaying the stored rollouts of one version through another. */
export type RewardComparison = z.output<typeof rewardDiff>;

export const rewardDiffRoutes = {
  readRewardDiff: {
    method: "GET",
    path: "/api/v1/packages/{name}/reward-diff",
    group: "Runs",
    summary: "Compare the rewards of two versions on the same replies",
    for: "anyone",
    params: z.strictObject({ name: packageName }),
    query: z.strictObject({ from: z.string().min(1).max(256), to: z.string().min(1).max(256) }),
    response: rewardDiff,
  },
} as const satisfies Routes;
