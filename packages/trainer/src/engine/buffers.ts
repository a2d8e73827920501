import type { ModelParts } from "./model-parts.ts";
import { padded } from "./shape.ts";

/** Addresses of what one layer keeps from the way forward for the way back. */
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

/** Room for packs of up to `capacity` tokens. */
export function buffersOf({ arena, shape }: ModelParts, capacity: number): Buffers {
  const { width, heads, hidden, context, layers, vocabulary } = shape;
  const longest = padded(Math.min(context, capacity));
  const each = (numbers: number): number => arena.allocate(capacity * numbers);
  return {
    layers: Array.from({ length: layers }, () => ({
      inverse1: each(1),
      normal1: each(width),
      qkv: each(3 * width),
      p: each(heads * longest),
      mixed: each(width),
      inverse2: each(1),
      normal2: each(width),
      up: each(hidden),
      active: each(hidden),
    })),
    ids: each(1),
    positions: each(1),
    embedded: each(width),
    inverse: each(1),
    x: each(width),
    places: each(1),
    targets: each(1),
    last: each(width),
    lastInverse: each(1),
    logits: each(padded(vocabulary)),
    logNormalizers: each(1),
    logprobs: each(1),
    entropies: each(1),
    gradLogprobs: each(1),
    gradEntropies: each(1),
    dx: each(width),
    dy: each(width),
    dqkv: each(3 * width),
    dhidden: each(hidden),
    dp: arena.allocate(longest * longest),
    scratch: arena.allocate((width / heads) * longest),
  };
}
