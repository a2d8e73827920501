import { ConfigError } from "@envs/core";

import type { Datum, Forward } from "../backend.ts";
import type { DatumLoss } from "./loss-result.ts";
import {
  type ClipSettings,
  lossDefaults,
  type PolicyLossSettings,
  type SapoSettings,
} from "./loss-settings.ts";

/**
 * `Σ weight · (w · policy loss + klCoefficient · ρ · k3 − entropyCoefficient · entropy)`, with the formulas of
 * {@link PolicyLossSettings}. The gradient of `ρ · k3` is `ρ · (lp − ref)`, that of the KL divergence from the reference. Allocates nothing per token, and sums in double precision.
 */
export function policyLoss(
  settings: PolicyLossSettings,
  datum: Datum,
  forward: Forward,
): DatumLoss {
  const inputs = inputsOf(settings, datum, forward);
  const { weights, advantages, logprobs, old, sampling, reference, entropies } = inputs;
  const {
    klCoefficient = lossDefaults.klCoefficient,
    entropyCoefficient = lossDefaults.entropyCoefficient,
  } = settings;
  const importanceOf = importanceWeights(settings, inputs);
  const isCispo = settings.name === "cispo";
  const isSequence = settings.name === "clip" && settings.importanceLevel === "sequence";
  const bound = ratioBound(settings);
  const derivative = ratioDerivative(settings);
  const gradLogprobs = new Float32Array(weights.length);
  const gradEntropies = new Float32Array(weights.length);
  const meanLogRatio = isSequence ? sequenceLogRatio(inputs) : 0;
  let sequenceSlope = 0;
  let [value, tokens, nonFinite, nll, entropy, ratios, clipped] = [0, 0, 0, 0, 0, 0, 0];
  let [approxKl, kl, importances, mismatch] = [0, 0, 0, 0];

  for (let index = 0; index < weights.length; index += 1) {
    const weight = weights[index]!;
    if (weight === 0) continue;
    const logprob = logprobs[index]!;
    const advantage = advantages[index]!;
    const logRatio = logprob - old[index]!;
    const ratio = Math.exp(isSequence ? meanLogRatio : logRatio);
    const factor = bound(ratio, advantage);
    const gap = sampling === undefined ? 0 : old[index]! - sampling[index]!;
    const importance = importanceOf(gap);
    const policyTerm = -importance * factor * advantage;
    const change = derivative(ratio, factor, advantage);
    const slope = isCispo ? policyTerm : change === 0 ? 0 : -importance * change * advantage;
    const tokenRatio = Math.exp(logRatio);
    const referenceLogRatio = reference === undefined ? 0 : reference[index]! - logprob;
    const k3Slope = Math.expm1(referenceLogRatio);
    const targetEntropy = entropies === undefined ? 0 : entropies[index]!;
    const penalty = klCoefficient === 0 ? 0 : klCoefficient * tokenRatio;
    const loss =
      (isCispo ? policyTerm * logprob : policyTerm) +
      penalty * (k3Slope - referenceLogRatio) -
      entropyCoefficient * targetEntropy;
    const gradient = (isSequence ? 0 : slope) - penalty * referenceLogRatio;
    const k3Old = Math.expm1(logRatio) - logRatio;
    // The gradient is stored in single precision, in which it may overflow.
    const size = Math.fround(weight * (Math.abs(slope) + Math.abs(gradient)));
    if (!Number.isFinite(size + loss + k3Old + gap)) {
      nonFinite += 1;
      continue;
    }
    value += weight * loss;
    sequenceSlope += weight * slope;
    gradLogprobs[index] = weight * gradient;
    gradEntropies[index] = -weight * entropyCoefficient;
    tokens += 1;
    nll -= logprob;
    entropy += targetEntropy;
    ratios += ratio;
    if (settings.name !== "sapo" && factor !== ratio && advantage !== 0) clipped += 1;
    approxKl += k3Old;
    kl += k3Slope - referenceLogRatio;
    importances += importance;
    mismatch += Math.abs(gap);
  }
  if (isSequence) spreadSlope(inputs, sequenceSlope, gradLogprobs);
  const sums = {
    tokens,
    nonFinite,
    nll,
    ratio: ratios,
    clipped,
    approxKl,
    ...(entropies === undefined ? {} : { entropy }),
    ...(reference === undefined ? {} : { kl }),
    ...(sampling === undefined ? {} : { importance: importances, mismatch }),
  };
  return { value, gradLogprobs, gradEntropies, sums };
}

interface PolicyInputs {
  readonly weights: Float32Array;
  readonly advantages: Float32Array;
  readonly logprobs: Float32Array;
  readonly old: Float32Array;
  /** Undefined if the old log-probabilities are the sampling ones. */
  readonly sampling: Float32Array | undefined;
  readonly reference: Float32Array | undefined;
  readonly entropies: Float32Array | undefined;
}

/** Throws a `ConfigError` if the datum lacks something that the loss needs. */
function inputsOf(
  { name, klCoefficient = 0, entropyCoefficient = 0 }: PolicyLossSettings,
  datum: Datum,
  { logprobs, entropies }: Forward,
): PolicyInputs {
  const { weights, advantages, samplingLogprobs, oldLogprobs, referenceLogprobs } = datum;
  const old = oldLogprobs ?? samplingLogprobs;
  if (old === undefined || advantages === undefined)
    throw new ConfigError(
      `The loss ${name} needs advantages and samplingLogprobs, but a datum has no ${old === undefined ? "samplingLogprobs" : "advantages"}. Create data with datumOf(), or train with cross_entropy.`,
    );
  if (klCoefficient !== 0 && referenceLogprobs === undefined)
    throw new ConfigError(
      "klCoefficient needs a reference model, but a datum has no referenceLogprobs. Compute them with forward() of the reference model, or set klCoefficient to 0.",
    );
  if (entropyCoefficient !== 0 && entropies === undefined)
    throw new ConfigError(
      "entropyCoefficient needs entropies, which this backend does not report. Set entropyCoefficient to 0, or raise the sampling temperature instead.",
    );
  const sampling = oldLogprobs === undefined ? undefined : samplingLogprobs;
  return { weights, advantages, logprobs, old, sampling, reference: referenceLogprobs, entropies };
}

/** Whether a target has a weight and a finite ratio. */
function isTrained({ weights, logprobs, old }: PolicyInputs, index: number): boolean {
  return weights[index] !== 0 && Number.isFinite(logprobs[index]! - old[index]!);
}

/** GSPO's log s: the mean of logπ − logπ_old over trained targets. */
function sequenceLogRatio(inputs: PolicyInputs): number {
  let sum = 0;
  let count = 0;
  for (let index = 0; index < inputs.weights.length; index += 1) {
    if (!isTrained(inputs, index)) continue;
    sum += inputs.logprobs[index]! - inputs.old[index]!;
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

/** Distributes the derivative by the log ratio of the sequence evenly over its trained targets. */
function spreadSlope(inputs: PolicyInputs, slope: number, gradients: Float32Array): void {
  let count = 0;
  for (let index = 0; index < gradients.length; index += 1)
    if (isTrained(inputs, index)) count += 1;
  for (let index = 0; index < gradients.length; index += 1)
    if (isTrained(inputs, index)) gradients[index]! += slope / count;
}

/** Clips a ratio ρ, given the advantage A. */
type RatioBound = (ratio: number, advantage: number) => number;

/**
 * The factor of A in a policy loss, which is `−bound(ρ, A) · A`, times logπ for CISPO. Where the bound replaces ρ, the gradient
 * is 0, except for CISPO, where the bound is a constant weight.
 */
function ratioBound(settings: PolicyLossSettings): RatioBound {
  switch (settings.name) {
    case "importance_sampling":
      return (ratio) => ratio;
    case "cispo": {
      const { epsilonHigh = lossDefaults.cispoCap } = settings;
      return (ratio) => Math.min(ratio, epsilonHigh);
    }
    case "clip":
      return clippedRatio(settings);
    case "sapo":
      return (ratio, advantage) => {
        const temperature = sapoTemperature(settings, advantage);
        return (4 / temperature) * sigmoid(temperature * (ratio - 1));
      };
  }
}

/** The derivative of the factor of A by log ρ. */
type FactorDerivative = (ratio: number, factor: number, advantage: number) => number;

/** Where a bound replaces ρ, the derivative is 0; a soft gate has a derivative everywhere. */
function ratioDerivative(settings: PolicyLossSettings): FactorDerivative {
  if (settings.name !== "sapo") return (ratio, factor) => (factor === ratio ? ratio : 0);
  return (ratio, _, advantage) => {
    const gate = sigmoid(sapoTemperature(settings, advantage) * (ratio - 1));
    return 4 * gate * (1 - gate) * ratio;
  };
}

function sapoTemperature(
  {
    positiveTemperature = lossDefaults.positiveTemperature,
    negativeTemperature = lossDefaults.negativeTemperature,
  }: SapoSettings,
  advantage: number,
): number {
  return advantage > 0 ? positiveTemperature : negativeTemperature;
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}

/** The weight w of a target with the gap `old − sampling`. */
function importanceWeights(
  {
    importanceCap = lossDefaults.importanceCap,
    importanceCorrection = lossDefaults.importanceCorrection,
  }: PolicyLossSettings,
  { weights, old, sampling }: PolicyInputs,
): (gap: number) => number {
  if (sampling === undefined) return () => 1;
  const bound = importanceCorrection.endsWith("mask")
    ? (weight: number) => (weight > importanceCap ? 0 : weight)
    : (weight: number) => Math.min(weight, importanceCap);
  if (importanceCorrection.startsWith("token")) return (gap) => bound(Math.exp(gap));
  let sum = 0;
  for (let index = 0; index < weights.length; index += 1) {
    const gap = old[index]! - sampling[index]!;
    // Gaps that are not finite have no gradient, and count in `nonFinite`.
    if (weights[index] !== 0 && Number.isFinite(gap)) sum += gap;
  }
  const weight = bound(Math.exp(sum));
  return () => weight;
}

/**
 * min(ρA, clip(ρ)A) / A: the smaller factor for positive advantages, the larger one for negative ones. `delta` limits the
 * first factor (TRL), `dualClip` the result for negative advantages (verl).
 */
function clippedRatio(settings: ClipSettings): RatioBound {
  const { epsilonLow = lossDefaults.epsilonLow } = settings;
  const { epsilonHigh = epsilonLow, delta = Infinity, dualClip = Infinity } = settings;
  const low = 1 - epsilonLow;
  const high = 1 + epsilonHigh;
  return (ratio, advantage) => {
    const unclipped = Math.min(ratio, delta);
    const clipped = Math.min(Math.max(ratio, low), high);
    return advantage < 0
      ? Math.min(Math.max(unclipped, clipped), dualClip)
      : Math.min(unclipped, clipped);
  };
}
