import * as z from "zod";

import { lossDefaults, type LossSettings } from "./loss-settings.ts";

const terms = {
  klCoefficient: z
    .number()
    .min(0)
    .default(lossDefaults.klCoefficient)
    .describe(
      "Penalty for leaving the reference model, per nat of KL divergence (TRL: beta); 0: none",
    ),
  entropyCoefficient: z
    .number()
    .default(lossDefaults.entropyCoefficient)
    .describe(
      "Bonus for being undecided, per nat of entropy; too little and exploration dies, too much and form does",
    ),
  importanceCap: z
    .number()
    .positive()
    .default(lossDefaults.importanceCap)
    .describe(
      "How many times a token may count to make up for a sampler that disagrees with the trainer",
    ),
};

const cispo = z
  .strictObject({
    name: z.literal("cispo"),
    epsilonHigh: z
      .number()
      .min(
        1,
        "is the cap on the ratio itself, as in TRL, so at least 1: write 1.28 for what others call 0.28",
      )
      .default(lossDefaults.cispoCap)
      .describe("The greatest weight of a token: a cap on the ratio itself, not a distance from 1"),
    ...terms,
  })
  .describe("Bounded weights, gradients from every token (MiniMax-M1): the default");

const clip = z
  .strictObject({
    name: z.literal("clip"),
    epsilonLow: z
      .number()
      .min(0)
      .default(lossDefaults.epsilonLow)
      .describe("How far below 1 the ratio may fall before a token stops to count"),
    epsilonHigh: z
      .number()
      .min(0)
      .exactOptional()
      .describe(
        "How far above 1 the ratio may rise; 0.28 is DAPO's clip-higher. Default: epsilonLow",
      ),
    delta: z
      .number()
      .positive()
      .exactOptional()
      .describe("Bounds the ratio for bad tokens too (two-sided GRPO); above 1 + epsilonHigh"),
    dualClip: z
      .number()
      .min(1)
      .exactOptional()
      .describe("Bounds the loss of a bad token at this many times its advantage; 3 is common"),
    importanceLevel: z
      .enum(["token", "sequence"])
      .default("token")
      .describe("sequence: one ratio for a whole sequence (GSPO)"),
    ...terms,
  })
  .describe("PPO's and GRPO's clipped objective: tokens that moved too far stop to count");

const importanceSampling = z
  .strictObject({ name: z.literal("importance_sampling"), ...terms })
  .describe("Policy gradient with unbounded ratios; for data of the newest weights only");

const crossEntropy = z
  .strictObject({ name: z.literal("cross_entropy") })
  .describe("Imitates the targets: supervised learning");

/** Reads a loss from a config file; left out, it is CISPO. */
export const lossSettings: z.ZodType<LossSettings> = z
  .discriminatedUnion("name", [cispo, clip, importanceSampling, crossEntropy])
  .prefault({ name: "cispo" });
