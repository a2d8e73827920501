import { lossDefaults, type PolicyLossSettings } from "./loss-settings.ts";

/** The state of entropy control after a step. It is part of a checkpoint, so that a resumed run continues alike. */
export interface EntropyState {
  /** The coefficient of the entropy bonus in the next step. */
  readonly coefficient: number;
  /** The mean entropy of the last step, in nats per token; null before the first step. */
  readonly entropy: number | null;
}

export type EntropyControlSettings = Pick<
  PolicyLossSettings,
  "entropyCoefficient" | "entropyTarget" | "entropyDelta" | "maxEntropyCoefficient"
>;

/** The state before the first step. */
export function initialEntropyState({
  entropyCoefficient = 0,
}: EntropyControlSettings): EntropyState {
  return { coefficient: entropyCoefficient, entropy: null };
}

/**
 * The coefficient α_k that a step applies: `α_k = c_k` if the entropy of the last step is at most the target, else 0. A
 * bonus therefore never pushes the entropy above the target, as a constant coefficient does once the rewards of groups are
 * equal (Skywork-OR1, He et al. 2025, arXiv 2505.22312, §4.3; TRL `use_adaptive_entropy`).
 */
export function appliedCoefficient(
  { coefficient, entropy }: EntropyState,
  { entropyTarget }: EntropyControlSettings,
): number {
  if (entropyTarget === undefined) return coefficient;
  return entropy !== null && entropy <= entropyTarget ? coefficient : 0;
}

/**
 * The state after a step: `c_(k+1) = c_k + Δ` if its entropy is at most the target, else `c_k − Δ`, within 0 and the
 * maximum. Soft actor-critic adapts its temperature to a target in the same direction, by gradient (Haarnoja et al. 2018).
 */
export function nextEntropyState(
  { coefficient }: EntropyState,
  entropy: number | null,
  settings: EntropyControlSettings,
): EntropyState {
  const { entropyTarget, entropyDelta = lossDefaults.entropyDelta } = settings;
  const { maxEntropyCoefficient = lossDefaults.maxEntropyCoefficient } = settings;
  if (entropyTarget === undefined || entropy === null) return { coefficient, entropy };
  const moved = coefficient + (entropy <= entropyTarget ? entropyDelta : -entropyDelta);
  return { coefficient: Math.min(Math.max(moved, 0), maxEntropyCoefficient), entropy };
}
