import { ConfigError } from "@envs/core";

import type { Datum, Forward } from "../backend.ts";
import type { DatumLoss } from "./loss-result.ts";
import type { LossSettings } from "./loss-settings.ts";
import { policyLoss } from "./policy-loss.ts";

/**
 * The value and gradients of a loss on one datum: Σ weight · loss, by the formulas of {@link LossSettings}. Targets of
 * weight 0 are ignored; sg[…] in a formula (stop gradient) is a constant to its gradient.
 */
export function datumLoss(settings: LossSettings, datum: Datum, forward: Forward): DatumLoss {
  checkLengths({ ...datum, ...forward });
  return settings.name === "cross_entropy"
    ? crossEntropy(datum, forward)
    : policyLoss(settings, datum, forward);
}

/** Cross-entropy: `−logπ` of each target. */
function crossEntropy({ weights }: Datum, { logprobs, entropies }: Forward): DatumLoss {
  const gradLogprobs = new Float32Array(weights.length);
  let value = 0;
  let tokens = 0;
  let nll = 0;
  let entropy = 0;
  let nonFinite = 0;
  for (let index = 0; index < weights.length; index += 1) {
    const weight = weights[index]!;
    if (weight === 0) continue;
    const logprob = logprobs[index]!;
    const targetEntropy = entropies === undefined ? 0 : entropies[index]!;
    if (!Number.isFinite(weight * logprob + targetEntropy)) {
      nonFinite += 1;
      continue;
    }
    value -= weight * logprob;
    gradLogprobs[index] = -weight;
    tokens += 1;
    nll -= logprob;
    entropy += targetEntropy;
  }
  const sums = { tokens, nonFinite, nll, ...(entropies === undefined ? {} : { entropy }) };
  return { value, gradLogprobs, gradEntropies: new Float32Array(weights.length), sums };
}

const arraysPerTarget = [
  "inputs",
  "weights",
  "samplingLogprobs",
  "oldLogprobs",
  "referenceLogprobs",
  "advantages",
  "logprobs",
  "entropies",
] as const;

function checkLengths(arrays: Datum & Forward): void {
  const { length } = arrays.targets;
  for (const name of arraysPerTarget)
    if (arrays[name] !== undefined && arrays[name].length !== length)
      throw new ConfigError(
        `A datum has ${length} targets but ${arrays[name].length} ${name}. Every array of a datum needs one number per target.`,
      );
}
