import type { Datum, SampleRequest } from "../../src/backend.ts";
import type { Checkpoint } from "../../src/tiny/checkpoint.ts";
import { shapeFor } from "../../src/tiny/checkpoint.ts";
import { untrained } from "../../src/tiny/tiny-backend.ts";
import { trainTokenizer } from "../../src/tokenizer/train-tokenizer.ts";
import { busyWeights } from "../engine/small-model.ts";
import { gameTexts } from "../tokenizer/games.ts";

const tokenizer = trainTokenizer(gameTexts(20), { vocabularySize: 77 });

/** A model that has something to say, if nothing sensible. */
export function smallCheckpoint(context = 48): Checkpoint {
  const shape = shapeFor(tokenizer, { width: 16, layers: 2, heads: 2, hidden: 24, context });
  const { state } = untrained(shape, tokenizer, 1);
  return { shape, tokenizer, state: { ...state, weights: busyWeights(shape) } };
}

export function request(given: Partial<SampleRequest> = {}): SampleRequest {
  return {
    promptIds: textOf(1, 7),
    maxTokens: 12,
    temperature: 1,
    topP: 1,
    seed: 5,
    ...given,
  };
}

/** Some tokens of the vocabulary. */
export function textOf(seed: number, length: number): number[] {
  return Array.from({ length }, (_, at) => (at * 13 + seed * 7 + at * at) % 77);
}

/** Sequences with advantages, as a policy loss wants them. */
export function someData(seed: number, count: number): Datum[] {
  return Array.from({ length: count }, (_, index) => {
    const ids = textOf(seed * 31 + index, 6 + ((index * 5 + seed) % 17));
    const length = ids.length - 1;
    return {
      inputs: Int32Array.from(ids.slice(0, -1)),
      targets: Int32Array.from(ids.slice(1)),
      weights: Float32Array.from({ length }, (_, at) => (at < 3 ? 0 : 1 / (count * length))),
      samplingLogprobs: new Float32Array(length).fill(-4),
      advantages: new Float32Array(length).fill(index % 2 === 0 ? 1 : -0.5),
    };
  });
}

export const optimizer = {
  learningRate: 1e-2,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0.01,
  clipNorm: 1,
};
