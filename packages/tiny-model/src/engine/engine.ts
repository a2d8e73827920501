import { Arena } from "./arena.ts";
import { fastestBuild } from "./fastest-build.ts";
import { type KernelBuild, type Kernels, startKernels } from "./kernels.ts";
import type { Shape } from "./shape.ts";
import { Weights } from "./weights.ts";

/** A model in WebAssembly memory; transformer, decoder and optimizer work on it. */
export interface Engine {
  readonly kernels: Kernels;
  readonly arena: Arena;
  readonly shape: Shape;
  readonly weights: Weights;
  readonly rotation: RotationTables;
}

/** Addresses of the cosines and sines of the rotary position embedding: half a head's width of numbers per position. */
export interface RotationTables {
  readonly cosines: number;
  readonly sines: number;
}

/** Allocates a model whose weights are all 0. */
export function startEngine(shape: Shape, build: KernelBuild = fastestBuild()): Engine {
  const kernels = startKernels(build);
  const arena = new Arena(kernels.memory);
  const weights = new Weights(kernels, arena, shape);
  const { context, width, heads } = shape;
  const rotation = rotationTables(arena, { context, half: width / heads / 2 });
  return { kernels, arena, shape, weights, rotation };
}

/**
 * Angles of rotary position embeddings (RoPE, Su et al. 2021), for heads of 2 · `half` numbers. `base` is 10,000 by default.
 */
export function rotationTables(
  arena: Arena,
  { context, half, base = 10_000 }: { context: number; half: number; base?: number },
): RotationTables {
  const tables = { cosines: arena.allocate(context * half), sines: arena.allocate(context * half) };
  const cosines = arena.floats(tables.cosines, context * half);
  const sines = arena.floats(tables.sines, context * half);
  for (let position = 0; position < context; position += 1)
    for (let pair = 0; pair < half; pair += 1) {
      const angle = position / base ** (pair / half);
      cosines[position * half + pair] = Math.cos(angle);
      sines[position * half + pair] = Math.sin(angle);
    }
  return tables;
}
