import { ConfigError } from "@envs/core";

import { lossDefaults, type LossSettings } from "../algorithms/loss-settings.ts";
import type { Datum } from "../backend.ts";

/** Numbers in the service's words. */
interface Tensor {
  readonly data: readonly number[];
  readonly dtype: "int64" | "float32";
  readonly shape: readonly [number];
}

/** A {@link Datum} in the service's words. */
export interface ServiceDatum {
  readonly model_input: ServiceText;
  readonly loss_fn_inputs: Readonly<Record<string, Tensor>>;
}

export interface ServiceText {
  readonly chunks: readonly [{ readonly type: "encoded_text"; readonly tokens: readonly number[] }];
}

/** Tokens in the service's words. */
export function serviceText(tokens: readonly number[]): ServiceText {
  return { chunks: [{ type: "encoded_text", tokens }] };
}

/**
 * A datum in the service's words. Services sum over tokens and know no weights of policy losses, all of which are
 * positively homogeneous in the advantage: the weight, and the importance of a sampler that disagrees, go into it.
 */
export function serviceDatum(datum: Datum, loss: LossSettings): ServiceDatum {
  const { inputs, targets, weights, temperature = 1 } = datum;
  checkTemperature(temperature);
  const target_tokens = integers(targets);
  return {
    model_input: serviceText([...inputs]),
    loss_fn_inputs:
      loss.name === "cross_entropy"
        ? { target_tokens, weights: decimals(weights) }
        : { target_tokens, ...policyInputs(datum, loss.importanceCap) },
  };
}

/** Services compute log-probabilities at temperature 1, whatever the tokens were sampled at. */
export function checkTemperature(temperature: number): void {
  if (temperature !== 1)
    throw new ConfigError(
      `A Tinker-compatible service learns at temperature 1, but the tokens were sampled at ${temperature}: their log-probabilities would not match. Set temperature to 1.`,
    );
}

function policyInputs(
  { weights, advantages, samplingLogprobs, oldLogprobs }: Datum,
  importanceCap: number = lossDefaults.importanceCap,
): Record<"logprobs" | "advantages", Tensor> {
  const old = oldLogprobs ?? samplingLogprobs;
  if (old === undefined || advantages === undefined)
    throw new ConfigError(
      `A policy loss learns from advantages of sampled tokens, but a datum has no ${old === undefined ? "samplingLogprobs" : "advantages"}. Make data with datumOf(), or train with cross_entropy.`,
    );
  const logprobs = new Float64Array(weights.length);
  const folded = new Float64Array(weights.length);
  for (const [place, weight] of weights.entries()) {
    if (weight === 0) continue;
    if (weight < 0)
      throw new ConfigError(
        "A datum has a negative weight, which a Tinker-compatible service would clip the wrong way. Turn the sign of the advantage instead.",
      );
    const importance =
      oldLogprobs === undefined || samplingLogprobs === undefined
        ? 1
        : Math.min(Math.exp(oldLogprobs[place]! - samplingLogprobs[place]!), importanceCap);
    const advantage = importance * weight * advantages[place]!;
    // What is not finite is reported by the loss, and not learned from.
    if (!Number.isFinite(advantage + old[place]!)) continue;
    logprobs[place] = old[place]!;
    folded[place] = advantage;
  }
  return { logprobs: decimals(logprobs), advantages: decimals(folded) };
}

function integers(values: Int32Array): Tensor {
  return { data: [...values], dtype: "int64", shape: [values.length] };
}

/** Nine digits say a float exactly, in half the characters. */
function decimals(values: Float32Array | Float64Array): Tensor {
  const data = Array.from(values, (value) =>
    Number.isFinite(value) ? Number(value.toPrecision(9)) : 0,
  );
  return { data, dtype: "float32", shape: [values.length] };
}
