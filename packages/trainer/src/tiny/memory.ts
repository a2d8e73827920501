import { ConfigError } from "@envs/core";

import { padded, parametersOf, type Shape, sizeOf } from "../engine/shape.ts";

/** Tokens of one call into the engine: few enough for the processor's caches, and never fewer than one sequence. */
export const packTokens = 512;

/** What the addresses of WebAssembly reach. */
const limit = 2 ** 32;

/** Bytes that one replica of a model takes when it remembers `slots` conversations, samples and learns. */
export function memoryOf(shape: Shape, slots: number): number {
  const { width, layers, heads, hidden, context, vocabulary } = shape;
  const columns = padded(vocabulary);
  const tokens = Math.max(packTokens, context);
  const longest = padded(Math.min(context, tokens));
  // Weights, gradients, transposes, and two moments each.
  const parameters = 5 * sizeOf(parametersOf(shape));
  const rotation = context * (width / heads);
  const layer = 6 * width + heads * longest + 2 * hidden + 2;
  const learning =
    tokens * (layers * layer + 8 * width + hidden + columns + 11) +
    longest * (longest + width / heads);
  const remembered = layers * slots * 2 * width * padded(context);
  const steps = Math.max(slots, packTokens) * (6 * width + hidden + columns + 7);
  return 4 * (parameters + rotation + learning + remembered + steps + padded(context));
}

/** Refuses a model that WebAssembly has no room for, before anything is allocated. */
export function checkMemory(shape: Shape, slots: number): void {
  const bytes = memoryOf(shape, slots);
  if (bytes <= limit) return;
  const conversations = bytes - memoryOf(shape, 0);
  throw new ConfigError(
    `The model needs ${gibibytes(bytes)} on each thread, ${gibibytes(conversations)} of them for the ${slots} conversations that a thread remembers; WebAssembly has ${gibibytes(limit)}. Take fewer slots, a shorter context or a smaller model.`,
  );
}

function gibibytes(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
