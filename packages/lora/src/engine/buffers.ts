import { type Arena, padded } from "@envs/tiny-model/engine";

import { type Architecture, type Projection, projections } from "../model/architecture.ts";

/** The maximum number of rows whose logits are in memory at once. */
export const logitRows = 128;

/** Addresses of activations. Those of a layer are computed again for its backward pass, so that one layer's are in memory. */
export type Buffers = ReturnType<typeof allocateBuffers>;

/** Allocates activations for packs of up to `capacity` tokens. */
export function allocateBuffers(
  arena: Arena,
  architecture: Architecture,
  { capacity, rank }: { readonly capacity: number; readonly rank: number },
) {
  const { width, heads, pairs, size, hidden, layers, vocabulary, context } = architecture;
  const longest = padded(Math.min(context, capacity));
  const qkv = (heads + 2 * pairs) * size;
  const perToken = (numbers: number): number => arena.allocate(capacity * numbers);
  const ts = projections.map((name): [Projection, number] => [name, perToken(rank)]);
  return {
    ids: perToken(1),
    positions: perToken(1),
    places: perToken(1),
    targets: perToken(1),
    /** The residual stream before each layer. */
    before: Array.from({ length: layers }, () => perToken(width)),
    x: perToken(width),
    inverse: perToken(1),
    normal: perToken(width),
    gained1: perToken(width),
    qkv: perToken(qkv),
    p: perToken(heads * longest),
    mixed: perToken(heads * size),
    inverse2: perToken(1),
    normal2: perToken(width),
    gained2: perToken(width),
    gateUp: perToken(2 * hidden),
    h: perToken(hidden),
    t: Object.fromEntries(ts) as Readonly<Record<Projection, number>>,
    last: perToken(width),
    lastInverse: perToken(1),
    logits: arena.allocate(logitRows * padded(vocabulary)),
    logNormalizers: perToken(1),
    logprobs: perToken(1),
    entropies: perToken(1),
    gradLogprobs: perToken(1),
    gradEntropies: perToken(1),
    dx: perToken(width),
    dy: perToken(Math.max(width, heads * size)),
    dqkv: perToken(Math.max(width, qkv)),
    dh: perToken(hidden),
    dp: arena.allocate(longest * longest),
    scratch: arena.allocate(size * longest),
    transposed: arena.allocate(width * Math.max(2 * hidden, qkv)),
  };
}
