import { ConfigError } from "@envs/core";

import { lossDefaults, type LossSettings } from "../algorithms/loss-settings.ts";
import type { Datum } from "../backend.ts";

/** An array of numbers, as the service encodes it. */
interface Tensor {
  readonly data: readonly number[];
  readonly dtype: "int64" | "float32";
  readonly shape: readonly [number];
}

/** A {@link Datum}, as the service encodes it. */
export interface ServiceDatum {
  readonly model_input: EncodedText;
  readonly loss_fn_inputs: Readonly<Record<string, Tensor>>;
}

export interface EncodedText {
  readonly chunks: readonly [{ readonly type: "encoded_text"; readonly tokens: readonly number[] }];
}

export function encodeTokens(tokens: readonly number[]): EncodedText {
  return { chunks: [{ type: "encoded_text", tokens }] };
}

/**
 * Encodes a datum for the service. Services sum policy losses over tokens without weights. All these losses are positively
 * homogeneous in the advantage, so the advantage is multiplied by the weight, and by the importance that corrects for a
 * sampler whose log-probabilities differ.
 */
export function serviceDatum(datum: Datum, loss: LossSettings): ServiceDatum {
  const { inputs, targets, weights, temperature = 1 } = datum;
  checkTemperature(temperature);
  const target_tokens = integers(targets);
  return {
    model_input: encodeTokens([...inputs]),
    loss_fn_inputs:
      loss.name === "cross_entropy"
        ? { target_tokens, weights: floats(weights) }
        : {
            target_tokens,
            ...policyInputs(datum, loss.importanceCap),
            // Only trained tokens determine the ratio of a sequence.
            ...(isSequenceLevel(loss)
              ? { weights: floats(weights.map((value) => Number(value !== 0))) }
              : {}),
          },
  };
}

/** Throws a `ConfigError` unless the temperature is 1, at which services compute all log-probabilities. */
export function checkTemperature(temperature: number): void {
  if (temperature !== 1)
    throw new ConfigError(
      `A Tinker-compatible service trains at temperature 1, but the sampling temperature is ${temperature}, so log-probabilities would not match. Set temperature to 1.`,
    );
}

function isSequenceLevel(loss: LossSettings): boolean {
  return loss.name === "clip" && loss.importanceLevel === "sequence";
}

function policyInputs(
  { weights, advantages, samplingLogprobs, oldLogprobs }: Datum,
  importanceCap: number = lossDefaults.importanceCap,
): Record<"logprobs" | "advantages", Tensor> {
  const old = oldLogprobs ?? samplingLogprobs;
  if (old === undefined || advantages === undefined)
    throw new ConfigError(
      `A policy loss needs the advantages and log-probabilities of sampled tokens, but a datum has no ${old === undefined ? "samplingLogprobs" : "advantages"}. Create data with datumOf(), or train with cross_entropy.`,
    );
  const logprobs = new Float64Array(weights.length);
  const weightedAdvantages = new Float64Array(weights.length);
  for (const [index, weight] of weights.entries()) {
    if (weight === 0) continue;
    if (weight < 0)
      throw new ConfigError(
        "A datum has a negative weight, which a Tinker-compatible service would clip in the wrong direction. Negate the advantage instead.",
      );
    const importance =
      oldLogprobs === undefined || samplingLogprobs === undefined
        ? 1
        : Math.min(Math.exp(oldLogprobs[index]! - samplingLogprobs[index]!), importanceCap);
    const advantage = importance * weight * advantages[index]!;
    // Non-finite values get no gradient; the loss reports them.
    if (!Number.isFinite(advantage + old[index]!)) continue;
    logprobs[index] = old[index]!;
    weightedAdvantages[index] = advantage;
  }
  return { logprobs: floats(logprobs), advantages: floats(weightedAdvantages) };
}

function integers(values: Int32Array): Tensor {
  return { data: [...values], dtype: "int64", shape: [values.length] };
}

/** Nine significant digits represent a 32-bit float exactly, in half the characters. */
function floats(values: Float32Array | Float64Array): Tensor {
  const data = Array.from(values, (value) =>
    Number.isFinite(value) ? Number(value.toPrecision(9)) : 0,
  );
  return { data, dtype: "float32", shape: [values.length] };
}
