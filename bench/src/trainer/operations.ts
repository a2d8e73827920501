import type { Shape } from "@envs/tiny-model";
import type { Datum } from "@envs/trainer";

/** Multiplications and additions for one token in all matrices except the head. */
function perToken({ width, hidden, layers }: Shape): number {
  return 2 * layers * width * (4 * width + 2 * hidden);
}

/** Operations of attention for a token that attends to `seen` tokens, itself included: scores and weighted values. */
function attention({ width, layers }: Shape, seen: number): number {
  return 4 * layers * width * seen;
}

function head({ width, vocabulary }: Shape): number {
  return 2 * width * vocabulary;
}

/**
 * Floating-point operations of the matrix products of one training step: forward, and twice as many backward. Counts
 * attention on and below the diagonal, and logits of targets with a weight; does not count norms and softmax.
 */
export function trainingOperations(shape: Shape, data: readonly Datum[]): number {
  let forward = 0;
  for (const { inputs, weights } of data) {
    const trained = weights.reduce((sum, weight) => sum + (weight === 0 ? 0 : 1), 0);
    forward += inputs.length * perToken(shape) + trained * head(shape);
    for (let seen = 1; seen <= inputs.length; seen += 1) forward += attention(shape, seen);
  }
  return 3 * forward;
}

/** Operations for reading one token that attends to `seen` tokens, and computing its logits. */
export function decodingOperations(shape: Shape, seen: number): number {
  return perToken(shape) + attention(shape, seen) + head(shape);
}
