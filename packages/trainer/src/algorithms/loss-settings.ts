import * as z from "zod";

export const lossDefaults = {
  klCoefficient: 0,
  entropyCoefficient: 0,
  entropyDelta: 0.005,
  maxEntropyCoefficient: 0.05,
  importanceCap: 3,
  cispoCap: 5,
  epsilonLow: 0.2,
  importanceCorrection: "token_truncate",
  positiveTemperature: 1,
  negativeTemperature: 1.05,
} as const;

/**
 * Terms that every policy loss supports. Per target, before its `weight`:
 * `w · policy loss + klCoefficient · ρ · k3 − entropyCoefficient · entropy`.
 */
const terms = {
  /**
   * β of the KL penalty `ρ · k3` against the reference model, with `k3 = e^(ref − lp) − (ref − lp) − 1` (Schulman 2020) and
   * the ratio ρ of the target. Without ρ, the gradient of k3 is that of the opposite direction, KL(reference ‖ policy); with
   * it, that of KL(policy ‖ reference), even where ρ is 1 (DeepSeek-V3.2 2025, arXiv 2512.02556; TRL `beta` with
   * `use_bias_correction_kl`, its default since 1.10). Needs `referenceLogprobs`.
   */
  klCoefficient: z
    .number()
    .min(0)
    .default(lossDefaults.klCoefficient)
    .describe("Coefficient of the KL penalty against the reference model (TRL: beta); 0: none"),
  /** Entropy bonus, per nat (TRL `entropy_coef`). Needs a backend that reports entropies. */
  entropyCoefficient: z
    .number()
    .default(lossDefaults.entropyCoefficient)
    .describe(
      "Coefficient of the entropy bonus; too low: exploration stops, too high: the format breaks. Prefer entropyTarget",
    ),
  /**
   * Adapts `entropyCoefficient`, which is then its value in the first step, so that the entropy does not stay below this
   * value. See `nextEntropyState`. Default: a constant coefficient.
   */
  entropyTarget: z
    .number()
    .positive()
    .optional()
    .describe(
      "Entropy in nats per token below which the bonus grows, and above which it is 0; unlike a constant coefficient, it cannot make replies random",
    ),
  /** TRL `entropy_coef_delta`. */
  entropyDelta: z
    .number()
    .positive()
    .default(lossDefaults.entropyDelta)
    .describe("Change of the entropy coefficient per step, if there is an entropyTarget"),
  maxEntropyCoefficient: z
    .number()
    .positive()
    .default(lossDefaults.maxEntropyCoefficient)
    .describe("Maximum of the entropy coefficient, if there is an entropyTarget"),
  /**
   * Cap of the weight `w = min(e^(old − sampling), importanceCap)`, which corrects for a sampler that computes other
   * log-probabilities than the trainer with the same weights (truncated importance sampling, Yao et al. 2025; TRL
   * `vllm_importance_sampling_clip_max`, mode `token_truncate`). Without `oldLogprobs`, w = 1.
   */
  importanceCap: z
    .number()
    .positive()
    .default(lossDefaults.importanceCap)
    .describe(
      "Maximum weight of a token that corrects for a sampler that differs from the trainer",
    ),
  /**
   * The ratio that `w` is computed from, and what happens above the cap (TRL `vllm_importance_sampling_mode`):
   *
   * - `token_truncate`: `min(e^(old − sampling), cap)` of each target (TIS, Yao et al. 2025).
   * - `token_mask`: the same ratio, but 0 above the cap.
   * - `sequence_truncate`: `min(e^Σ(old − sampling), cap)`, one weight for all targets of the sequence.
   * - `sequence_mask`: the same ratio, but 0 above the cap, which excludes the sequence (MIS, Liu et al. 2025, “When Speed
   *   Kills Stability”).
   */
  importanceCorrection: z
    .enum(["token_truncate", "token_mask", "sequence_truncate", "sequence_mask"])
    .default(lossDefaults.importanceCorrection)
    .describe(
      "Whether that weight is of a token or of a sequence, and limited to importanceCap or set to 0 above it",
    ),
};

/**
 * CISPO: `−sg[min(ρ, epsilonHigh)] · A · logπ`. Only the weight is clipped, so that every target has a gradient
 * (MiniMax-M1 2025; TRL `loss_type="cispo"`).
 */
const cispo = z
  .strictObject({
    name: z.literal("cispo"),
    /** Tinker and verl write 0.28 for 1.28. */
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

/**
 * PPO's clipped objective, as GRPO uses it: `−min(ρA, clip(ρ, 1 − epsilonLow, 1 + epsilonHigh) · A)` (Schulman et al.
 * 2017; TRL `loss_type="grpo"` and its variants, which differ only in the weights of targets).
 */
const clip = z
  .strictObject({
    name: z.literal("clip"),
    /** TRL `epsilon`. */
    epsilonLow: z
      .number()
      .min(0)
      .default(lossDefaults.epsilonLow)
      .describe("Maximum distance of the ratio below 1 before a token is clipped"),
    /** DAPO: Yu et al. 2025. */
    epsilonHigh: z
      .number()
      .min(0)
      .optional()
      .describe(
        "Maximum distance of the ratio above 1; 0.28 is DAPO's clip-higher. Default: epsilonLow",
      ),
    /**
     * Maximum of ρ in the unclipped term, which is otherwise unbounded for negative advantages: two-sided GRPO
     * (INTELLECT-2 2025; TRL `delta`). Default: no maximum.
     */
    delta: z
      .number()
      .positive()
      .optional()
      .describe("Maximum ratio for negative advantages (two-sided GRPO); above 1 + epsilonHigh"),
    /** Dual clip: the loss of a negative advantage is at most `dualClip · |A|` (Ye et al. 2020; verl `clip_ratio_c`). Default: off. */
    dualClip: z
      .number()
      .min(1)
      .optional()
      .describe(
        "Maximum loss for negative advantages, as a multiple of the advantage; 3 is common",
      ),
    /**
     * `sequence` is GSPO: one ρ for the sequence, `e^(mean of lp − old)`, for all of its targets (Zheng et al. 2025; TRL
     * `importance_sampling_level`). Use it with epsilons near 3e-4 and with `sequence` aggregation; with epsilons near 2e-3
     * and `sum` aggregation it is LUSPO (2026, arXiv 2602.05261).
     */
    importanceLevel: z
      .enum(["token", "sequence"])
      .default("token")
      .describe("sequence: one ratio per sequence (GSPO)"),
    ...terms,
  })
  .describe("The clipped objective of PPO and GRPO");

/**
 * SAPO: `−(4 / τ) · σ(τ · (ρ − 1)) · A`, a soft gate instead of a clip: the gradient fades with the distance of ρ from 1. At
 * ρ = 1 it is that of `−ρA` (Gao et al. 2025, arXiv 2511.20347; TRL `loss_type="sapo"`).
 */
const sapo = z
  .strictObject({
    name: z.literal("sapo"),
    positiveTemperature: z
      .number()
      .positive()
      .default(lossDefaults.positiveTemperature)
      .describe("Steepness of the gate for positive advantages"),
    /** Lowering a token raises many others. */
    negativeTemperature: z
      .number()
      .positive()
      .default(lossDefaults.negativeTemperature)
      .describe("Steepness of the gate for other advantages; usually higher"),
    ...terms,
  })
  .describe("A soft gate instead of a clip (SAPO)");

/** Importance sampling: `−ρA`, without clipping, with the gradient through ρ (Tinker `importance_sampling`). */
const importanceSampling = z
  .strictObject({ name: z.literal("importance_sampling"), ...terms })
  .describe("Policy gradient with unclipped ratios; only for data sampled with the latest weights");

/** Supervised learning: `−logπ`. */
const crossEntropy = z
  .strictObject({ name: z.literal("cross_entropy") })
  .describe("Supervised learning");

const policyLosses = [cispo, clip, sapo, importanceSampling] as const;

/** The schema of a loss in a training plan. Default: CISPO. */
export const lossSettings = z
  .discriminatedUnion("name", [...policyLosses, crossEntropy])
  .prefault({ name: "cispo" });

/** Losses with advantages; ρ = e^(lp − old) is the probability ratio of the policy and the old policy. */
export type PolicyLossSettings = z.input<(typeof policyLosses)[number]>;
export type ClipSettings = z.input<typeof clip>;
export type SapoSettings = z.input<typeof sapo>;

/** The optimizer minimises the sum of `weight` · loss over all targets. */
export type LossSettings = z.input<typeof crossEntropy> | PolicyLossSettings;
