import * as z from "zod";

import { lossSettings } from "../algorithms/loss-schema.ts";

const count = z.int().min(1);
const share = z.number().min(0).max(1);
const config = z.record(z.string(), z.unknown());

const optimizer = z
  .strictObject({
    learningRate: z.number().positive().default(1e-3).describe("Step size of AdamW"),
    beta1: share.default(0.9),
    beta2: share.default(0.95),
    epsilon: z.number().positive().default(1e-8),
    weightDecay: z.number().min(0).default(0).describe("Decoupled, per step and learning rate"),
    clipNorm: z.number().min(0).default(1).describe("Greatest norm of a gradient; 0: not clipped"),
  })
  .prefault({});

const schedule = z
  .strictObject({
    warmup: z.int().min(0).default(10).describe("Steps in which the learning rate grows"),
    annealFrom: share.default(0.4).describe("Share of the steps after which it falls"),
    shape: z.enum(["constant", "linear", "cosine"]).default("linear"),
    floor: share.default(0).describe("Share of it that is left at the end"),
  })
  .prefault({});

const every = {
  evaluateEvery: z
    .int()
    .min(0)
    .default(0)
    .describe("Steps between evaluations; 0: only at the end"),
  checkpointEvery: count.default(50).describe("Steps between checkpoints"),
};

const sampling = {
  temperature: z.number().positive().default(1).describe("Of the model, when it explores"),
  topP: share.default(1),
  maxTokens: count.exactOptional().describe("Longest reply, in tokens"),
  maxTurns: count.exactOptional().describe("A limit below the environment's own"),
};

const data = z.union([
  z.strictObject({ file: z.string() }).describe("Chat JSONL, or the folder of a run"),
  z
    .strictObject({
      policy: z.string().describe("A policy of the environment, such as mixed(0.5)"),
      examples: count,
      rolloutsPerExample: count.default(1),
      config: config.default({}),
      where: z.string().exactOptional().describe("Which rollouts are kept, as in envs synth"),
    })
    .describe("Rollouts of one of the environment's policies"),
]);

/** Settings of supervised learning. */
export const sftPhase = z.strictObject({
  kind: z.literal("sft"),
  data,
  epochs: z.number().positive().default(3).describe("How often each conversation is learned from"),
  batchSize: count.default(32).describe("Conversations per step"),
  optimizer,
  schedule,
  ...every,
});

/** Settings of reinforcement learning. */
export const rlPhase = z.strictObject({
  kind: z.literal("rl"),
  steps: count,
  sources: z
    .array(
      z.strictObject({
        config: config.default({}).describe("Config of the environment"),
        groups: count.default(32).describe("Groups per step"),
      }),
    )
    .min(1)
    .default([{ config: {}, groups: 32 }])
    .describe("What each batch is made of"),
  rolloutsPerExample: z.int().min(2).default(16).describe("Rollouts of a group"),
  shuffle: z.boolean().default(true).describe("Draw the examples of a step from the whole dataset"),
  ...sampling,
  advantage: z
    .strictObject({
      estimator: z.enum(["grpo", "dr_grpo", "batch", "rloo"]).default("grpo"),
      credit: z
        .enum(["rollout", "turn"])
        .default("rollout")
        .describe("turn: turns that saw the same are compared with each other (GiGPO)"),
      gamma: share.default(0.95).describe("What a reward is worth one turn earlier"),
      stepWeight: z.number().min(0).default(1),
      combine: z.enum(["add", "replace"]).default("add"),
    })
    .prefault({}),
  loss: lossSettings.prefault({ name: "cispo" }),
  annealEntropy: z
    .boolean()
    .default(true)
    .describe("The entropy bonus follows the learning rate's schedule"),
  aggregation: z.enum(["token", "sequence", "constant"]).default("token"),
  maxCompletionLength: count.exactOptional().describe("What the aggregation constant divides by"),
  minibatches: count.default(2).describe("Steps of the optimiser per batch"),
  dropZeroVariance: z
    .boolean()
    .default(true)
    .describe("Leave out groups whose rewards are all equal"),
  resample: z
    .int()
    .min(0)
    .default(0)
    .describe("How often a batch may be refilled after groups were left out"),
  maskTruncated: z.boolean().default(false).describe("Learn nothing from truncated rollouts"),
  recomputeLogprobs: z
    .boolean()
    .default(false)
    .describe("Correct for a sampler whose log-probabilities differ from the trainer's"),
  keepRolloutsEvery: z.int().min(0).default(50).describe("Steps between kept rollouts; 0: none"),
  optimizer,
  schedule,
  ...every,
});

/** A conversation with a fixed opponent, dataset or difficulty that a model is measured on. */
const evaluation = z.strictObject({
  name: z.string().min(1),
  config: config.default({}),
  examples: count.default(256),
  rolloutsPerExample: count.default(1),
  temperature: z.number().min(0).default(1),
  maxTokens: count.exactOptional(),
  maxTurns: count.exactOptional(),
  columns: z
    .record(z.string(), z.string())
    .exactOptional()
    .describe("Shares to show, and the scores that they are means of. Default: every score"),
});

const size = z
  .strictObject({
    vocabulary: z.int().min(32).default(256).describe("Most tokens of the vocabulary"),
    pieces: z.enum(["lines", "words"]).default("lines").describe("What a token may span"),
    width: count.default(64),
    layers: count.default(2),
    heads: count.default(4),
    hidden: count.default(256),
    context: count.default(256).describe("Longest conversation, in tokens"),
  })
  .prefault({});

/** Everything that decides how a training run goes, the environment apart. */
export const trainingPlan = z.strictObject({
  seed: z.int().default(0),
  threads: count.default(2).describe("Threads of the tiny model; another number, another rounding"),
  model: z
    .strictObject({ from: z.string().describe("A checkpoint: tiny:<name or file>") })
    .or(size)
    .prefault({}),
  phases: z
    .record(z.string(), z.discriminatedUnion("kind", [sftPhase, rlPhase]))
    .superRefine((phases, context) => {
      for (const name of Object.keys(phases))
        if (!/^[a-z][a-z0-9-]*$/u.test(name))
          context.addIssue({
            code: "custom",
            path: [name],
            message: "is no name for a phase: write it in lower case, such as sft, rl or rl2",
          });
    }),
  evaluations: z
    .array(evaluation)
    .default([])
    .describe("What the model is measured on while it learns"),
  stages: z
    .array(evaluation)
    .default([])
    .describe("What it is measured on before, and after each phase: the report's table"),
  guards: z
    .strictObject({
      maxLoss: z.number().positive().default(50),
      minEntropy: z.number().min(0).default(1e-4).describe("Below it in RL, nothing is explored"),
      maxTruncated: share.default(0.95),
      patience: count.default(20).describe("Steps that a bad sign may last"),
    })
    .prefault({}),
});

export type TrainingPlan = z.output<typeof trainingPlan>;
export type TrainingPlanInput = z.input<typeof trainingPlan>;
export type SftPhase = z.output<typeof sftPhase>;
export type RlPhase = z.output<typeof rlPhase>;
export type Phase = SftPhase | RlPhase;
export type EvaluationSpec = z.output<typeof evaluation>;

/** Helps an editor to complete a training config; returns it as it is. */
export function defineTraining(plan: TrainingPlanInput): TrainingPlanInput {
  return plan;
}
