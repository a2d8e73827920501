import type { TargetSequence } from "@envs/tiny-model";
import { describe, expect, test } from "vitest";

import { distributionOf, referenceLogits, type ReferenceModel } from "./reference.ts";
import { numbers, rank, smallModel } from "./small-model.ts";

const temperature = 0.8;

function sequenceOf(name: string, length: number): TargetSequence {
  const tokens = numbers(name, length + 1, 0.5).map((value) => Math.floor((value + 0.5) * 36.9));
  return {
    inputs: Int32Array.from(tokens.slice(0, -1)),
    targets: Int32Array.from(tokens.slice(1)),
    weights: Float32Array.from(tokens.slice(1), (_, at) => (at % 4 === 1 ? 0 : 1)),
    temperature,
  };
}

const sequences = [sequenceOf("first", 6), sequenceOf("second", 9)];
/** The gradients of a loss that weighs each log-probability and entropy differently. */
const gradients = sequences.map(({ inputs }, index) => ({
  gradLogprobs: Float32Array.from(numbers(`logprobs ${index}`, inputs.length, 1)),
  gradEntropies: Float32Array.from(numbers(`entropies ${index}`, inputs.length, 1)),
}));

function referenceOutputs(model: ReferenceModel): { logprob: number; entropy: number }[][] {
  return sequences.map(({ inputs, targets, weights }) =>
    referenceLogits(model, [...inputs]).map((logits, at) =>
      weights[at] === 0
        ? { logprob: 0, entropy: 0 }
        : distributionOf(logits, targets[at]!, temperature),
    ),
  );
}

function referenceLoss(model: ReferenceModel): number {
  let loss = 0;
  for (const [index, outputs] of referenceOutputs(model).entries())
    for (const [at, { logprob, entropy }] of outputs.entries()) {
      const { gradLogprobs, gradEntropies } = gradients[index]!;
      loss += gradLogprobs[at]! * logprob + gradEntropies[at]! * entropy;
    }
  return loss;
}

describe.each([
  ["Llama", {}],
  ["Llama with one pair of keys and values for all heads", { num_key_value_heads: 1 }],
  ["Qwen2, with biases and an untied head", { model_type: "qwen2", tie_word_embeddings: false }],
])("%s", (_name, changes) => {
  const { model, reference } = smallModel(changes);

  test("computes the log-probabilities and entropies of double precision", () => {
    const outputs = model.forward(sequences);
    const expected = referenceOutputs(reference(model.adapter.values));
    for (const [index, { logprobs, entropies }] of outputs.entries())
      for (const [at, { logprob, entropy }] of expected[index]!.entries()) {
        expect(logprobs[at]).toBeCloseTo(logprob, 4);
        expect(entropies[at]).toBeCloseTo(entropy, 4);
      }
  });

  test("computes the gradient of each matrix of the adapter", () => {
    model.adapter.gradientValues.fill(0);
    let index = 0;
    model.forwardBackward(sequences, () => gradients[index++]!);
    const computed = model.adapter.gradientValues.slice();
    const { values, pairs, address } = model.adapter;
    const before = values.slice();
    const matrices = pairs.flatMap(({ layer, projection, a, b, inputs, outputs }) => [
      { name: `${layer}.${projection} A`, start: (a - address) / 4, count: inputs * rank },
      { name: `${layer}.${projection} B`, start: (b - address) / 4, count: outputs * rank },
    ]);
    for (const { name, start, count } of matrices) {
      // The slope of the loss along a random direction.
      const direction = numbers(name, count, 1);
      const losses = [1e-4, -1e-4].map((step) => {
        const moved = [...before];
        for (const [at, part] of direction.entries()) moved[start + at]! += step * part;
        return referenceLoss(reference(moved));
      });
      const slope = (losses[0]! - losses[1]!) / 2e-4;
      const gradient = computed.subarray(start, start + count);
      const along = direction.reduce((sum, part, at) => sum + part * gradient[at]!, 0);
      const longest = Math.hypot(...direction) * Math.hypot(...gradient);
      expect(Math.abs(along - slope) / longest, name).toBeLessThan(1e-5);
    }
  });

  test("an optimizer step along the gradient raises the sum of log-probabilities", () => {
    const likelihood = (): number =>
      model
        .forward(sequences)
        .reduce((sum, { logprobs }) => sum + logprobs.reduce((a, b) => a + b), 0);
    const before = likelihood();
    const [learningRate, beta1, beta2, epsilon] = [1e-3, 0.9, 0.95, 1e-8];
    model.adapter.gradientValues.fill(0);
    model.forwardBackward(sequences, ({ inputs }) => ({
      gradLogprobs: new Float32Array(inputs.length).fill(-1),
      gradEntropies: new Float32Array(inputs.length),
    }));
    const { gradientNorm } = model.optimStep({
      learningRate,
      beta1,
      beta2,
      epsilon,
      weightDecay: 0,
      clipNorm: 0,
    });
    expect(gradientNorm).toBeGreaterThan(0);
    expect(likelihood()).toBeGreaterThan(before);
    expect(model.adapter.gradientValues.every((value) => value === 0)).toBe(true);
  });
});
