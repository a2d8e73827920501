import {
  type Checkpoint,
  type ForwardOutput,
  type OutputGradients,
  type SampleRequest,
  shapeFor,
  type TargetSequence,
  type TinyModel,
  trainTokenizer,
  untrained,
} from "../src/index.ts";
import { nonzeroWeights } from "./engine/small-engine.ts";
import { gameTexts } from "./tokenizer/games.ts";

const tokenizer = trainTokenizer(gameTexts(20), { vocabularySize: 77 });

/** An untrained model that does not give all tokens the same probability. */
export function smallCheckpoint(context = 48): Checkpoint {
  const shape = shapeFor(tokenizer, { width: 16, layers: 2, heads: 2, hidden: 24, context });
  const { state } = untrained(shape, tokenizer, 1);
  return { shape, tokenizer, state: { ...state, weights: nonzeroWeights(shape) } };
}

export function request(settings: Partial<SampleRequest> = {}): SampleRequest {
  return {
    promptIds: tokensOf(1, 7),
    maxTokens: 12,
    temperature: 1,
    topP: 1,
    seed: 5,
    ...settings,
  };
}

/** Arbitrary tokens of the vocabulary. */
export function tokensOf(seed: number, length: number): number[] {
  return Array.from({ length }, (_, at) => (at * 13 + seed * 7 + at * at) % 77);
}

/** Sequences of 5 to 21 targets; the first three have the weight 0. */
export function someSequences(seed: number, count: number): TargetSequence[] {
  return Array.from({ length: count }, (_, index) => {
    const ids = tokensOf(seed * 31 + index, 6 + ((index * 5 + seed) % 17));
    const length = ids.length - 1;
    return {
      inputs: Int32Array.from(ids.slice(0, -1)),
      targets: Int32Array.from(ids.slice(1)),
      weights: Float32Array.from({ length }, (_, at) => (at < 3 ? 0 : 1 / (count * length))),
    };
  });
}

/** Cross-entropy with an entropy bonus, so that both gradients matter. */
export function testLoss(
  { weights }: TargetSequence,
  { logprobs, entropies }: ForwardOutput,
): OutputGradients & { readonly value: number } {
  const bonus = 0.01;
  return {
    value: weights.reduce(
      (sum, weight, at) => sum - weight * (logprobs[at]! + bonus * entropies[at]!),
      0,
    ),
    gradLogprobs: weights.map((weight) => -weight),
    gradEntropies: weights.map((weight) => -bonus * weight),
  };
}

/** Computes the gradients of {@link testLoss}, and returns its sum. */
export async function accumulate(
  model: TinyModel,
  sequences: readonly TargetSequence[],
): Promise<number> {
  const losses = await model.forwardBackward(sequences, testLoss);
  return losses.flat().reduce((sum, { value }) => sum + value, 0);
}

export const adamW = {
  learningRate: 1e-2,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0.01,
  clipNorm: 1,
};
