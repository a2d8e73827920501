import { ConfigError } from "@envs/core";

import { padded, parametersOf, type Shape, sizeOf } from "../engine/shape.ts";

/** Tokens per call into the engine: few enough for the processor's caches. */
export const packTokens = 512;

/** Maximum number of tokens in one pack; at least one whole sequence. */
export function packCapacity({ context }: Shape): number {
  return Math.max(packTokens, context);
}

/** The address space of WebAssembly, in bytes. */
const limit = 2 ** 32;

/** Bytes that one replica allocates for `slots` conversations, sampling and training. */
export function memoryOf(shape: Shape, slots: number): number {
  const { width, layers, heads, hidden, context, vocabulary } = shape;
  const columns = padded(vocabulary);
  const tokens = packCapacity(shape);
  const longest = padded(Math.min(context, tokens));
  // Five arrays per parameter: weights, gradients, transposes, and two moments.
  const parameters = 5 * sizeOf(parametersOf(shape));
  const rotation = context * (width / heads);
  const layer = 6 * width + heads * longest + 2 * hidden + 2;
  const activations =
    tokens * (layers * layer + 8 * width + hidden + columns + 11) +
    longest * (longest + width / heads);
  const caches = layers * slots * 2 * width * padded(context);
  const decoding = Math.max(slots, packTokens) * (6 * width + hidden + columns + 7);
  return 4 * (parameters + rotation + activations + caches + decoding + padded(context));
}

/** Throws a `ConfigError` if a replica does not fit into WebAssembly memory. */
export function checkMemory(shape: Shape, slots: number): void {
  const bytes = memoryOf(shape, slots);
  if (bytes <= limit) return;
  const caches = bytes - memoryOf(shape, 0);
  throw new ConfigError(
    `The model needs ${gibibytes(bytes)} per thread, ${gibibytes(caches)} of it to cache ${slots} conversations, but WebAssembly can address only ${gibibytes(limit)}. Use fewer slots, a shorter context or a smaller model.`,
  );
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
