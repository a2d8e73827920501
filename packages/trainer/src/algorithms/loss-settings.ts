/**
 * Terms that every policy loss supports. Per target, before its `weight`:
 * `w · policy loss + klCoefficient · ρ · k3 − entropyCoefficient · entropy`.
 */
export interface PolicyTerms {
  /**
   * β of the KL penalty `ρ · k3` against the reference model, with `k3 = e^(ref − lp) − (ref − lp) − 1` (Schulman 2020) and
   * the ratio ρ of the target. Without ρ, the gradient of k3 is that of the opposite direction, KL(reference ‖ policy); with
   * it, that of KL(policy ‖ reference), even where ρ is 1 (DeepSeek-V3.2 2025, arXiv 2512.02556; TRL `beta` with
   * `use_bias_correction_kl`, its default since 1.10). Default 0: no penalty. Needs `referenceLogprobs`.
   */
  readonly klCoefficient?: number | undefined;
  /** Entropy bonus, per nat (TRL `entropy_coef`). Default 0. Needs a backend that reports entropies. */
  readonly entropyCoefficient?: number | undefined;
  /**
   * Adapts `entropyCoefficient`, which is then its value in the first step, so that the entropy does not stay below this
   * value, in nats per token. See `nextEntropyState`. Default: a constant coefficient.
   */
  readonly entropyTarget?: number | undefined;
  /** Change of an adapted coefficient per step. Default 0.005 (TRL `entropy_coef_delta`). */
  readonly entropyDelta?: number | undefined;
  /** Maximum of an adapted coefficient. Default 0.05. */
  readonly maxEntropyCoefficient?: number | undefined;
  /**
   * Cap of the weight `w = min(e^(old − sampling), importanceCap)`, which corrects for a sampler that computes other
   * log-probabilities than the trainer with the same weights (truncated importance sampling, Yao et al. 2025; TRL
   * `vllm_importance_sampling_clip_max`, mode `token_truncate`). Default 3. Without `oldLogprobs`, w = 1.
   */
  readonly importanceCap?: number | undefined;
  /**
   * The ratio that `w` is computed from, and what happens above the cap (TRL `vllm_importance_sampling_mode`):
   *
   * - `token_truncate`: `min(e^(old − sampling), cap)` of each target (TIS, Yao et al. 2025).
   * - `token_mask`: the same ratio, but 0 above the cap.
   * - `sequence_truncate`: `min(e^Σ(old − sampling), cap)`, one weight for all targets of the sequence.
   * - `sequence_mask`: the same ratio, but 0 above the cap, which excludes the sequence (MIS, Liu et al. 2025, “When Speed
   *   Kills Stability”).
   *
   * Default `token_truncate`.
   */
  readonly importanceCorrection?: ImportanceCorrection | undefined;
}

export type ImportanceCorrection =
  | "token_truncate"
  | "token_mask"
  | "sequence_truncate"
  | "sequence_mask";

/**
 * CISPO: `−sg[min(ρ, epsilonHigh)] · A · logπ`. Only the weight is clipped, so that every target has a gradient
 * (MiniMax-M1 2025; TRL `loss_type="cispo"`).
 */
export interface CispoSettings extends PolicyTerms {
  readonly name: "cispo";
  /** Maximum of ρ itself, as in TRL, not a distance from 1. Default 5. Tinker and verl write 0.28 for 1.28. */
  readonly epsilonHigh?: number | undefined;
}

/**
 * PPO's clipped objective, as GRPO uses it: `−min(ρA, clip(ρ, 1 − epsilonLow, 1 + epsilonHigh) · A)` (Schulman et al.
 * 2017; TRL `loss_type="grpo"` and its variants, which differ only in the weights of targets).
 */
export interface ClipSettings extends PolicyTerms {
  readonly name: "clip";
  /** Default 0.2 (TRL `epsilon`). */
  readonly epsilonLow?: number | undefined;
  /** Default: `epsilonLow`. DAPO's clip-higher is 0.28 (Yu et al. 2025). */
  readonly epsilonHigh?: number | undefined;
  /**
   * Maximum of ρ in the unclipped term, which is otherwise unbounded for negative advantages: two-sided GRPO
   * (INTELLECT-2 2025; TRL `delta`). Use a value above 1 + epsilonHigh. Default: no maximum.
   */
  readonly delta?: number | undefined;
  /** Dual clip: the loss of a negative advantage is at most `dualClip · |A|` (Ye et al. 2020; verl `clip_ratio_c`, 3). Default: off. */
  readonly dualClip?: number | undefined;
  /**
   * `sequence` is GSPO: one ρ for the sequence, `e^(mean of lp − old)`, for all of its targets (Zheng et al. 2025; TRL
   * `importance_sampling_level`). Use it with epsilons near 3e-4 and with `sequence` aggregation; with epsilons near 2e-3
   * and `sum` aggregation it is LUSPO (2026, arXiv 2602.05261). Default `token`.
   */
  readonly importanceLevel?: "token" | "sequence" | undefined;
}

/**
 * SAPO: `−(4 / τ) · σ(τ · (ρ − 1)) · A`, a soft gate instead of a clip: the gradient fades with the distance of ρ from 1. At
 * ρ = 1 it is that of `−ρA` (Gao et al. 2025, arXiv 2511.20347; TRL `loss_type="sapo"`).
 */
export interface SapoSettings extends PolicyTerms {
  readonly name: "sapo";
  /** τ of positive advantages. Default 1. */
  readonly positiveTemperature?: number | undefined;
  /** τ of the other advantages: higher, since lowering a token raises many others. Default 1.05. */
  readonly negativeTemperature?: number | undefined;
}

/** Importance sampling: `−ρA`, without clipping, with the gradient through ρ (Tinker `importance_sampling`). */
export interface ImportanceSamplingSettings extends PolicyTerms {
  readonly name: "importance_sampling";
}

/** Supervised learning: `−logπ`. */
export interface CrossEntropySettings {
  readonly name: "cross_entropy";
}

/** Losses with advantages; ρ = e^(lp − old) is the probability ratio of the policy and the old policy. */
export type PolicyLossSettings =
  | CispoSettings
  | ClipSettings
  | SapoSettings
  | ImportanceSamplingSettings;

/** The optimizer minimises the sum of `weight` · loss over all targets. */
export type LossSettings = CrossEntropySettings | PolicyLossSettings;

export const lossDefaults = {
  klCoefficient: 0,
  entropyCoefficient: 0,
  importanceCap: 3,
  cispoCap: 5,
  epsilonLow: 0.2,
  importanceCorrection: "token_truncate",
  positiveTemperature: 1,
  negativeTemperature: 1.05,
} as const;
