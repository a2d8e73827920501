import type { Engine } from "./engine.ts";
import { padded } from "./shape.ts";

/** Addresses of the activations that the forward pass stores and the backward pass reads. */
export type Buffers = ReturnType<typeof allocateBuffers>;

/** Allocates activations for packs of up to `capacity` tokens. */
export function allocateBuffers({ arena, shape }: Engine, capacity: number) {
  const { width, heads, hidden, context, layers, vocabulary } = shape;
  const longest = padded(Math.min(context, capacity));
  const perToken = (numbers: number): number => arena.allocate(capacity * numbers);
  return {
    layers: Array.from({ length: layers }, () => ({
      inverse1: perToken(1),
      normal1: perToken(width),
      qkv: perToken(3 * width),
      p: perToken(heads * longest),
      mixed: perToken(width),
      inverse2: perToken(1),
      normal2: perToken(width),
      up: perToken(hidden),
      active: perToken(hidden),
    })),
    ids: perToken(1),
    positions: perToken(1),
    embedded: perToken(width),
    inverse: perToken(1),
    x: perToken(width),
    places: perToken(1),
    targets: perToken(1),
    last: perToken(width),
    lastInverse: perToken(1),
    logits: perToken(padded(vocabulary)),
    logNormalizers: perToken(1),
    logprobs: perToken(1),
    entropies: perToken(1),
    gradLogprobs: perToken(1),
    gradEntropies: perToken(1),
    dx: perToken(width),
    dy: perToken(width),
    dqkv: perToken(3 * width),
    dhidden: perToken(hidden),
    dp: arena.allocate(longest * longest),
    scratch: arena.allocate((width / heads) * longest),
  };
}
