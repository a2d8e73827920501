/**
 * Terms that every policy loss may add. Per target, before its `weight`:
 * `w · policy loss + klCoefficient · k3 − entropyCoefficient · entropy`.
 */
export interface PolicyTerms {
  /**
   * β of the penalty `k3 = e^(ref − lp) − (ref − lp) − 1` for leaving the reference (Schulman 2020; TRL `beta`). Default
   * 0: no penalty. Needs `referenceLogprobs`.
   */
  readonly klCoefficient?: number;
  /** The bonus for being undecided, per nat (TRL `entropy_coef`). Default 0. Needs a backend that reports entropies. */
  readonly entropyCoefficient?: number;
  /**
   * Where sampler and trainer disagree about the same weights, a target counts `w = min(e^(old − sampling), importanceCap)`
   * times (truncated importance sampling, Yao et al. 2025; TRL `vllm_importance_sampling_clip_max`, mode
   * `token_truncate`). Default 3. Data without `oldLogprobs` were sampled by the trainer itself: w = 1.
   */
  readonly importanceCap?: number;
}

/**
 * CISPO: `−sg[min(ρ, epsilonHigh)] · A · logπ`. Only the weight is bounded, so that every target keeps its gradient
 * (MiniMax-M1 2025; TRL `loss_type="cispo"`).
 */
export interface CispoSettings extends PolicyTerms {
  readonly name: "cispo";
  /** The greatest ρ itself, as in TRL; not a distance from 1. Default 5; 1.28 is what Tinker or verl call 0.28. */
  readonly epsilonHigh?: number;
}

/**
 * PPO's clipped objective, as GRPO uses it: `−min(ρA, clip(ρ, 1 − epsilonLow, 1 + epsilonHigh) · A)` (Schulman et al.
 * 2017; TRL `loss_type="grpo"` and its relatives, which differ in their weights alone).
 */
export interface ClipSettings extends PolicyTerms {
  readonly name: "clip";
  /** Default 0.2 (TRL `epsilon`). */
  readonly epsilonLow?: number;
  /** Default: `epsilonLow`. DAPO's clip-higher is 0.28 (Yu et al. 2025). */
  readonly epsilonHigh?: number;
  /**
   * Bounds ρ in the unclipped term too, which a negative advantage would else leave unbounded: two-sided GRPO
   * (INTELLECT-2 2025; TRL `delta`). Sensible above 1 + epsilonHigh. Default: no bound.
   */
  readonly delta?: number;
  /** Dual clip: a negative advantage costs at most `dualClip · |A|` (Ye et al. 2020; verl `clip_ratio_c`, 3). Default: off. */
  readonly dualClip?: number;
  /**
   * `sequence` is GSPO: one ρ for the sequence, `e^(mean of lp − old)`, for all of its targets (Zheng et al. 2025; TRL
   * `importance_sampling_level`). Goes with epsilons near 3e-4 and with `sequence` aggregation. Default `token`.
   */
  readonly importanceLevel?: "token" | "sequence";
}

/** Importance sampling alone: `−ρA`, unbounded, with its gradient through ρ (Tinker `importance_sampling`). */
export interface ImportanceSamplingSettings extends PolicyTerms {
  readonly name: "importance_sampling";
}

/** Supervised learning: `−logπ`. */
export interface CrossEntropySettings {
  readonly name: "cross_entropy";
}

/** A loss that learns from advantages; ρ is the ratio e^(lp − old) of the policy to its old self. */
export type PolicyLossSettings = CispoSettings | ClipSettings | ImportanceSamplingSettings;

/** What is minimised: the sum over all targets of `weight` · loss. */
export type LossSettings = CrossEntropySettings | PolicyLossSettings;

/** What a setting is when it is left out. */
export const lossDefaults = {
  klCoefficient: 0,
  entropyCoefficient: 0,
  importanceCap: 3,
  cispoCap: 5,
  epsilonLow: 0.2,
} as const;
