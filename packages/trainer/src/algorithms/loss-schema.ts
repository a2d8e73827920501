import * as z from "zod";

import { entropyDefaults } from "./entropy-control.ts";
import { lossDefaults, type LossSettings } from "./loss-settings.ts";

const terms = {
  klCoefficient: z
    .number()
    .min(0)
    .default(lossDefaults.klCoefficient)
    .describe("Coefficient of the KL penalty against the reference model (TRL: beta); 0: none"),
  entropyCoefficient: z
    .number()
    .default(lossDefaults.entropyCoefficient)
    .describe(
      "Coefficient of the entropy bonus; too low: exploration stops, too high: the format breaks. Prefer entropyTarget",
    ),
  entropyTarget: z
    .number()
    .positive()
    .optional()
    .describe(
      "Entropy in nats per token below which the bonus grows, and above which it is 0; unlike a constant coefficient, it cannot make replies random",
    ),
  entropyDelta: z
    .number()
    .positive()
    .default(entropyDefaults.delta)
    .describe("Change of the entropy coefficient per step, if there is an entropyTarget"),
  maxEntropyCoefficient: z
    .number()
    .positive()
    .default(entropyDefaults.maxCoefficient)
    .describe("Maximum of the entropy coefficient, if there is an entropyTarget"),
  importanceCap: z
    .number()
    .positive()
    .default(lossDefaults.importanceCap)
    .describe(
      "Maximum weight of a token that corrects for a sampler that differs from the trainer",
    ),
  importanceCorrection: z
    .enum(["token_truncate", "token_mask", "sequence_truncate", "sequence_mask"])
    .default(lossDefaults.importanceCorrection)
    .describe(
      "Whether that weight is of a token or of a sequence, and limited to importanceCap or set to 0 above it",
    ),
};

const cispo = z
  .strictObject({
    name: z.literal("cispo"),
    epsilonHigh: z
      .number()
      .min(
        1,
        "must be at least 1, since it is the maximum of the ratio itself, as in TRL: write 1.28 for 0.28 of other trainers",
      )
      .default(lossDefaults.cispoCap)
      .describe("Maximum of the ratio itself, not a distance from 1"),
    ...terms,
  })
  .describe("Clips the weight of a token, not its gradient (MiniMax-M1): the default");

const clip = z
  .strictObject({
    name: z.literal("clip"),
    epsilonLow: z
      .number()
      .min(0)
      .default(lossDefaults.epsilonLow)
      .describe("Maximum distance of the ratio below 1 before a token is clipped"),
    epsilonHigh: z
      .number()
      .min(0)
      .optional()
      .describe(
        "Maximum distance of the ratio above 1; 0.28 is DAPO's clip-higher. Default: epsilonLow",
      ),
    delta: z
      .number()
      .positive()
      .optional()
      .describe("Maximum ratio for negative advantages (two-sided GRPO); above 1 + epsilonHigh"),
    dualClip: z
      .number()
      .min(1)
      .optional()
      .describe(
        "Maximum loss for negative advantages, as a multiple of the advantage; 3 is common",
      ),
    importanceLevel: z
      .enum(["token", "sequence"])
      .default("token")
      .describe("sequence: one ratio per sequence (GSPO)"),
    ...terms,
  })
  .describe("The clipped objective of PPO and GRPO");

const sapo = z
  .strictObject({
    name: z.literal("sapo"),
    positiveTemperature: z
      .number()
      .positive()
      .default(lossDefaults.positiveTemperature)
      .describe("Steepness of the gate for positive advantages"),
    negativeTemperature: z
      .number()
      .positive()
      .default(lossDefaults.negativeTemperature)
      .describe("Steepness of the gate for other advantages; usually higher"),
    ...terms,
  })
  .describe("A soft gate instead of a clip (SAPO)");

const importanceSampling = z
  .strictObject({ name: z.literal("importance_sampling"), ...terms })
  .describe("Policy gradient with unclipped ratios; only for data sampled with the latest weights");

const crossEntropy = z
  .strictObject({ name: z.literal("cross_entropy") })
  .describe("Supervised learning");

/** The schema of a loss in a training plan. Default: CISPO. */
export const lossSettings: z.ZodType<LossSettings> = z
  .discriminatedUnion("name", [cispo, clip, sapo, importanceSampling, crossEntropy])
  .prefault({ name: "cispo" });
