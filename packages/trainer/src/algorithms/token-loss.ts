import { ConfigError } from "@envs/core";

import type { Datum, Forward } from "../backend.ts";
import type { LossSettings } from "./loss-settings.ts";
import type { DatumLoss } from "./loss-sums.ts";
import { policyLoss } from "./policy-loss.ts";

/**
 * The value and gradients of a loss on one datum: Σ weight · loss, by formulas of the settings. Targets of weight
 * 0 take no part; what a formula puts into sg[…] is a constant to its gradient.
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
  for (let place = 0; place < weights.length; place += 1) {
    const weight = weights[place]!;
    if (weight === 0) continue;
    const logprob = logprobs[place]!;
    const nats = entropies === undefined ? 0 : entropies[place]!;
    if (!Number.isFinite(weight * logprob + nats)) {
      nonFinite += 1;
      continue;
    }
    value -= weight * logprob;
    gradLogprobs[place] = -weight;
    tokens += 1;
    nll -= logprob;
    entropy += nats;
  }
  const sums = { tokens, nonFinite, nll, ...(entropies === undefined ? {} : { entropy }) };
  return { value, gradLogprobs, gradEntropies: new Float32Array(weights.length), sums };
}

const perTarget = [
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
  for (const name of perTarget)
    if (arrays[name] !== undefined && arrays[name].length !== length)
      throw new ConfigError(
        `A datum has ${length} targets but ${arrays[name].length} ${name}. Every array of a datum needs one number per target.`,
      );
}
