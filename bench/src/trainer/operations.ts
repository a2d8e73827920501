import type { Shape } from "@envs/tiny-model";
import type { Datum } from "@envs/trainer";

/** Multiplications and additions of one token's way through all matrices but the head. */
function perToken({ width, hidden, layers }: Shape): number {
  return 2 * layers * width * (4 * width + 2 * hidden);
}

/** Those of a token that looks at `seen` tokens, itself included: scores, and the mixture of values. */
function attention({ width, layers }: Shape, seen: number): number {
  return 4 * layers * width * seen;
}

function head({ width, vocabulary }: Shape): number {
  return 2 * width * vocabulary;
}

/**
 * Floating-point operations that the matrix products of one training step need, forward and twice as many backward:
 * attention on and below the diagonal, logits where a target counts. Everything else (norms, softmax) is not counted.
 */
export function trainingOperations(shape: Shape, data: readonly Datum[]): number {
  let forward = 0;
  for (const { inputs, weights } of data) {
    const places = weights.reduce((sum, weight) => sum + (weight === 0 ? 0 : 1), 0);
    forward += inputs.length * perToken(shape) + places * head(shape);
    for (let seen = 1; seen <= inputs.length; seen += 1) forward += attention(shape, seen);
  }
  return 3 * forward;
}

/** Those of reading one token that looks at `seen` tokens, and saying what may follow. */
export function decodingOperations(shape: Shape, seen: number): number {
  return perToken(shape) + attention(shape, seen) + head(shape);
}
