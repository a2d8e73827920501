import type { Engine } from "./engine.ts";
import { padded } from "./shape.ts";

/** Addresses of the activations of one layer, which the backward pass reads. */
export interface LayerBuffers {
  readonly inverse1: number;
  readonly normal1: number;
  readonly qkv: number;
  readonly p: number;
  readonly mixed: number;
  readonly inverse2: number;
  readonly normal2: number;
  readonly up: number;
  readonly active: number;
}

export interface Buffers {
  readonly layers: readonly LayerBuffers[];
  readonly ids: number;
  readonly positions: number;
  readonly embedded: number;
  readonly inverse: number;
  readonly x: number;
  readonly places: number;
  readonly targets: number;
  readonly last: number;
  readonly lastInverse: number;
  readonly logits: number;
  readonly logNormalizers: number;
  readonly logprobs: number;
  readonly entropies: number;
  readonly gradLogprobs: number;
  readonly gradEntropies: number;
  readonly dx: number;
  readonly dy: number;
  readonly dqkv: number;
  readonly dhidden: number;
  readonly dp: number;
  readonly scratch: number;
}

/** Allocates activations for packs of up to `capacity` tokens. */
export function allocateBuffers({ arena, shape }: Engine, capacity: number): Buffers {
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
