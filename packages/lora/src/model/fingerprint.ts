import type { Arena } from "@envs/tiny-model/engine";

import type { FrozenWeights } from "./frozen-weights.ts";

/** Numbers of each matrix that count. A gain has no more in the smallest models. */
const sampled = 8;

/** Distinguishes frozen weights: a hash (FNV-1a) of some numbers of each matrix, to the last bit. */
export function fingerprint(arena: Arena, { embedding, layers, gain }: FrozenWeights): string {
  const matrices = layers.flatMap(({ gain1, qkv, out, gain2, gateUp, down }) => [
    gain1,
    qkv.weight,
    out.weight,
    gain2,
    gateUp.weight,
    down.weight,
  ]);
  let hash = 0x81_1c_9d_c5;
  for (const address of [embedding, ...matrices, gain])
    for (const bits of arena.ints(address, sampled)) hash = Math.imul(hash ^ bits, 0x01_00_01_93);
  return (hash >>> 0).toString(16).padStart(8, "0");
}
