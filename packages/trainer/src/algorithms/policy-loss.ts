import { ConfigError } from "@envs/core";

import type { Datum, Forward } from "../backend.ts";
import { boundedRatio } from "./bounded-ratio.ts";
import { lossDefaults, type PolicyLossSettings } from "./loss-settings.ts";
import type { DatumLoss } from "./loss-sums.ts";

/**
 * `Σ weight · (w · policy loss + klCoefficient · k3 − entropyCoefficient · entropy)`, with the formulas of
 * {@link PolicyLossSettings}. Runs once per sequence and step: no allocation per token, sums in doubles.
 */
export function policyLoss(
  settings: PolicyLossSettings,
  datum: Datum,
  forward: Forward,
): DatumLoss {
  const numbers = policyNumbers(settings, datum, forward);
  const { weights, advantages, logprobs, old, sampling, reference, entropies } = numbers;
  const {
    klCoefficient = lossDefaults.klCoefficient,
    entropyCoefficient = lossDefaults.entropyCoefficient,
    importanceCap = lossDefaults.importanceCap,
  } = settings;
  const isCispo = settings.name === "cispo";
  const isSequence = settings.name === "clip" && settings.importanceLevel === "sequence";
  const bounded = boundedRatio(settings);
  const gradLogprobs = new Float32Array(weights.length);
  const gradEntropies = new Float32Array(weights.length);
  const whole = isSequence ? sequenceDrift(numbers) : 0;
  let wholeSlope = 0;
  let [value, tokens, nonFinite, nll, entropy, ratios, clipped] = [0, 0, 0, 0, 0, 0, 0];
  let [approxKl, kl, importances, mismatch] = [0, 0, 0, 0];

  for (let place = 0; place < weights.length; place += 1) {
    const weight = weights[place]!;
    if (weight === 0) continue;
    const logprob = logprobs[place]!;
    const advantage = advantages[place]!;
    const drift = logprob - old[place]!;
    const ratio = Math.exp(isSequence ? whole : drift);
    const factor = bounded(ratio, advantage);
    const gap = sampling === undefined ? 0 : old[place]! - sampling[place]!;
    const importance = sampling === undefined ? 1 : Math.min(Math.exp(gap), importanceCap);
    const push = -importance * factor * advantage;
    const slope = isCispo || factor === ratio ? push : 0;
    const distance = reference === undefined ? 0 : reference[place]! - logprob;
    const pull = Math.expm1(distance);
    const nats = entropies === undefined ? 0 : entropies[place]!;
    const loss =
      (isCispo ? push * logprob : push) +
      klCoefficient * (pull - distance) -
      entropyCoefficient * nats;
    const gradient = (isSequence ? 0 : slope) - klCoefficient * pull;
    const moved = Math.expm1(drift) - drift;
    // As a float, since that is what the gradient becomes.
    const size = Math.fround(weight * (Math.abs(slope) + Math.abs(gradient)));
    if (!Number.isFinite(size + loss + moved + gap)) {
      nonFinite += 1;
      continue;
    }
    value += weight * loss;
    wholeSlope += weight * slope;
    gradLogprobs[place] = weight * gradient;
    gradEntropies[place] = -weight * entropyCoefficient;
    tokens += 1;
    nll -= logprob;
    entropy += nats;
    ratios += ratio;
    if (factor !== ratio && advantage !== 0) clipped += 1;
    approxKl += moved;
    kl += pull - distance;
    importances += importance;
    mismatch += Math.abs(gap);
  }
  if (isSequence) spread(numbers, wholeSlope, gradLogprobs);
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

interface PolicyNumbers {
  readonly weights: Float32Array;
  readonly advantages: Float32Array;
  readonly logprobs: Float32Array;
  readonly old: Float32Array;
  /** Only where they differ from the old ones. */
  readonly sampling: Float32Array | undefined;
  readonly reference: Float32Array | undefined;
  readonly entropies: Float32Array | undefined;
}

/** What the loss reads; says what is missing. */
function policyNumbers(
  { name, klCoefficient = 0, entropyCoefficient = 0 }: PolicyLossSettings,
  datum: Datum,
  { logprobs, entropies }: Forward,
): PolicyNumbers {
  const { weights, advantages, samplingLogprobs, oldLogprobs, referenceLogprobs } = datum;
  const old = oldLogprobs ?? samplingLogprobs;
  if (old === undefined || advantages === undefined)
    throw new ConfigError(
      `The loss ${name} learns from advantages of sampled tokens, but a datum has no ${old === undefined ? "samplingLogprobs" : "advantages"}. Make data with datumOf(), or train with cross_entropy.`,
    );
  if (klCoefficient !== 0 && referenceLogprobs === undefined)
    throw new ConfigError(
      "klCoefficient holds the policy to a reference, but a datum has no referenceLogprobs. Compute them with forward() of the reference, or set klCoefficient to 0.",
    );
  if (entropyCoefficient !== 0 && entropies === undefined)
    throw new ConfigError(
      "entropyCoefficient rewards entropy, which this backend does not report. Set entropyCoefficient to 0, or raise the sampling temperature instead.",
    );
  const sampling = oldLogprobs === undefined ? undefined : samplingLogprobs;
  return { weights, advantages, logprobs, old, sampling, reference: referenceLogprobs, entropies };
}

/** Whether a target is trained on and its ratio is a number. */
function counts({ weights, logprobs, old }: PolicyNumbers, place: number): boolean {
  return weights[place] !== 0 && Number.isFinite(logprobs[place]! - old[place]!);
}

/** GSPO's log s = mean of logπ − logπ_old over trained targets. */
function sequenceDrift(numbers: PolicyNumbers): number {
  let drift = 0;
  let count = 0;
  for (let place = 0; place < numbers.weights.length; place += 1) {
    if (!counts(numbers, place)) continue;
    drift += numbers.logprobs[place]! - numbers.old[place]!;
    count += 1;
  }
  return count === 0 ? 0 : drift / count;
}

/** Every trained target moves the ratio of its sequence by the same share. */
function spread(numbers: PolicyNumbers, slope: number, gradients: Float32Array): void {
  let count = 0;
  for (let place = 0; place < gradients.length; place += 1) if (counts(numbers, place)) count += 1;
  for (let place = 0; place < gradients.length; place += 1)
    if (counts(numbers, place)) gradients[place]! += slope / count;
}
