import * as z from "zod";

/** A number of steps, tokens or examples. */
export const count = z.int().min(1);
/** From 0 to 1. */
export const share = z.number().min(0).max(1);
/** Config of an environment. */
export const config = z.record(z.string(), z.unknown());

/** The policies of the seats that the model does not play. */
export const policies = z
  .record(z.string(), z.string())
  .default({})
  .describe("Policies of the environment in some seats, by seat; the model plays the others");

/** AdamW. */
export const optimizer = z
  .strictObject({
    learningRate: z.number().positive().default(1e-3).describe("Learning rate of AdamW"),
    beta1: share.default(0.9),
    beta2: share.default(0.95),
    epsilon: z.number().positive().default(1e-8),
    weightDecay: z.number().min(0).default(0).describe("Decoupled weight decay of AdamW"),
    clipNorm: z.number().min(0).default(1).describe("Maximum gradient norm; 0: no clipping"),
  })
  .prefault({});

/** The learning rate over the steps of a phase. */
export const schedule = z
  .strictObject({
    warmup: z.int().min(0).default(10).describe("Steps in which the learning rate rises"),
    annealFrom: share.default(0.4).describe("Share of the steps after which it decays"),
    shape: z.enum(["constant", "linear", "cosine"]).default("linear"),
    floor: share.default(0).describe("Final learning rate, as a share"),
  })
  .prefault({});

export type Schedule = z.output<typeof schedule>;

/** How often a phase is evaluated and saved. */
export const every = {
  evaluateEvery: z
    .int()
    .min(0)
    .default(0)
    .describe("Steps between evaluations; 0: only at the end"),
  checkpointEvery: count.default(50).describe("Steps between checkpoints"),
};

/** How the model samples its replies. */
export const sampling = {
  temperature: z.number().positive().default(1).describe("Sampling temperature"),
  topP: share.default(1),
  maxTokens: count.optional().describe("Maximum length of a reply, in tokens"),
  maxTurns: count
    .optional()
    .describe("Maximum number of turns, if below the environment's own limit"),
};

/** The conversations of a supervised phase. */
export const data = z.union([
  z.strictObject({ file: z.string() }).describe("A chat JSONL file or a run's folder"),
  z
    .strictObject({
      policy: z.string().describe("A policy of the environment, such as mixed(0.5)"),
      examples: count,
      rolloutsPerExample: count.default(1),
      config: config.default({}),
      where: z.string().optional().describe("Filter for rollouts, as in envs synth"),
      selfPlay: z
        .boolean()
        .default(false)
        .describe("Let the policy play every trainable seat, and learn from each"),
      includeDuplicates: z.boolean().default(false).describe("Keep equal conversations"),
    })
    .describe("Rollouts of a policy of the environment"),
]);
