import * as z from "zod";

import { lossSettings } from "../algorithms/loss-settings.ts";
import { modelSettings } from "./model-settings.ts";
import {
  config,
  count,
  data,
  every,
  optimizer,
  policies,
  sampling,
  schedule,
  share,
} from "./phase-settings.ts";

/** A phase of supervised fine-tuning. */
export const sftPhase = z.strictObject({
  kind: z.literal("sft"),
  data,
  epochs: z.number().positive().default(3).describe("Passes over the conversations"),
  batchSize: count.default(32).describe("Conversations per step"),
  optimizer,
  schedule,
  ...every,
});

/** A phase of reinforcement learning. */
export const rlPhase = z
  .strictObject({
    kind: z.literal("rl"),
    steps: count,
    sources: z
      .array(
        z.strictObject({
          config: config.default({}).describe("Config of the environment"),
          groups: count.default(32).describe("Groups per step"),
          policies,
        }),
      )
      .min(1)
      .default([{ config: {}, groups: 32, policies: {} }])
      .describe("Sources of the groups of a batch"),
    rolloutsPerExample: z.int().min(2).default(16).describe("Rollouts per group"),
    shuffle: z
      .boolean()
      .default(true)
      .describe("Draw the examples of each step from the whole dataset"),
    selfPlay: z
      .boolean()
      .default(false)
      .describe(
        "Let the model play every trainable seat, and train it on each; groups are compared by seat",
      ),
    ...sampling,
    advantage: z
      .strictObject({
        estimator: z
          .enum(["grpo", "dr_grpo", "batch", "rloo", "gdpo"])
          .default("grpo")
          .describe("gdpo: normalize each score of the rubric before they are added"),
        credit: z
          .enum(["rollout", "turn"])
          .default("rollout")
          .describe("turn: compare turns with the same observation (GiGPO)"),
        observation: z
          .enum(["conversation", "message"])
          .default("conversation")
          .describe(
            "What turns that credit turn compares must share: the whole conversation, or the last message if it shows the whole state",
          ),
        gamma: share.default(0.95).describe("Discount factor per turn"),
        stepWeight: z.number().min(0).default(1),
        combine: z.enum(["add", "replace"]).default("add"),
      })
      .refine(({ estimator, credit }) => estimator !== "gdpo" || credit === "rollout", {
        path: ["estimator"],
        message: "gdpo has no credit for turns: use credit rollout, or another estimator",
      })
      .prefault({}),
    loss: lossSettings,
    annealEntropy: z
      .boolean()
      .default(true)
      .describe("Apply the learning-rate schedule to the entropy bonus, adapted or not"),
    aggregation: z
      .enum(["token", "sequence", "constant", "sum"])
      .default("token")
      .describe(
        "How the tokens of a batch are averaged; sum: LUSPO, with importanceLevel sequence",
      ),
    maxCompletionLength: count
      .optional()
      .describe("Divisor of the aggregation constant, in tokens"),
    minibatches: count.default(2).describe("Optimizer steps per batch"),
    branches: z
      .boolean()
      .default(false)
      .describe("Train on sub-model calls too, with the advantage of their turn"),
    dropZeroVariance: z
      .boolean()
      .default(true)
      .describe("Drop groups without a learning signal: equal rewards, and equal turns"),
    resample: z
      .int()
      .min(0)
      .default(0)
      .describe("Maximum number of refills after groups were dropped"),
    overlong: z
      .strictObject({
        buffer: count.describe("Tokens before maxTokens in which the penalty grows"),
        penalty: z.number().positive().default(1).describe("Penalty of a reply of maxTokens"),
      })
      .optional()
      .describe("Soft penalty for replies near maxTokens (DAPO's overlong shaping)"),
    maskTruncated: z.boolean().default(false).describe("Exclude truncated rollouts"),
    recomputeLogprobs: z
      .boolean()
      .default(false)
      .describe("Correct for a sampler whose log-probabilities differ from the trainer's"),
    keepRolloutsEvery: z
      .int()
      .min(0)
      .default(50)
      .describe("Steps between saved rollouts; 0: save none"),
    optimizer,
    schedule,
    ...every,
  })
  .refine(
    ({ overlong, maxTokens }) =>
      overlong === undefined || (maxTokens !== undefined && overlong.buffer <= maxTokens),
    {
      path: ["overlong", "buffer"],
      message: "needs maxTokens, and must not be larger than it",
    },
  );

/** A config of the environment, such as an opponent or a difficulty, that the model is evaluated on. */
const evaluation = z.strictObject({
  name: z.string().min(1),
  config: config.default({}),
  examples: count.default(256),
  rolloutsPerExample: count.default(1),
  selfPlay: z
    .boolean()
    .default(false)
    .describe("Let the model play every trainable seat, also one with a default policy"),
  policies,
  rotateSeats: z
    .boolean()
    .default(false)
    .describe("Score another seat in each rollout of an example, in turn"),
  temperature: z.number().min(0).default(1),
  maxTokens: count.optional(),
  maxTurns: count.optional(),
  columns: z
    .record(z.string(), z.string())
    .optional()
    .describe("Names of columns, and the scores that they show the mean of. Default: every score"),
});

/** All settings of a training run except the environment. */
export const trainingPlan = z.strictObject({
  seed: z.int().default(0),
  threads: count
    .default(2)
    .describe("Threads of the tiny model; their number changes the rounding"),
  model: modelSettings,
  phases: z
    .record(z.string(), z.discriminatedUnion("kind", [sftPhase, rlPhase]))
    .superRefine((phases, context) => {
      for (const name of Object.keys(phases))
        if (!/^[a-z][a-z0-9-]*$/u.test(name))
          context.addIssue({
            code: "custom",
            path: [name],
            message:
              "is not a valid phase name: use lower-case letters, digits and hyphens, as in rl2",
          });
    }),
  evaluations: z.array(evaluation).default([]).describe("Evaluations during training"),
  stages: z
    .array(evaluation)
    .default([])
    .describe("Evaluations before the first and after each phase, for the table of the report"),
  guards: z
    .strictObject({
      maxLoss: z.number().positive().default(50),
      minEntropy: z
        .number()
        .min(0)
        .default(1e-4)
        .describe("Minimum entropy in RL, in nats per token"),
      maxEntropyRise: z
        .number()
        .positive()
        .default(1)
        .describe("Maximum rise of the entropy in an RL phase, in nats per token"),
      maxRewardFall: z
        .number()
        .positive()
        .default(1)
        .describe("Maximum fall of the reward in an RL phase, in standard deviations of a group"),
      maxTruncated: share.default(0.95),
      patience: count.default(20).describe("Steps before an RL guard stops training"),
    })
    .prefault({}),
});

export type TrainingPlan = z.output<typeof trainingPlan>;
export type TrainingPlanInput = z.input<typeof trainingPlan>;
export type SftPhase = z.output<typeof sftPhase>;
export type RlPhase = z.output<typeof rlPhase>;
export type Phase = SftPhase | RlPhase;
export type EvaluationSpec = z.output<typeof evaluation>;

/** Returns the plan, typed for editors. */
export function defineTraining(plan: TrainingPlanInput): TrainingPlanInput {
  return plan;
}
