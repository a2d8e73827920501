import { Arena } from "../../src/engine/arena.ts";
import { type KernelBuild, startKernels } from "../../src/engine/kernels.ts";
import type { ModelParts } from "../../src/engine/model-parts.ts";
import { rotationTables } from "../../src/engine/rope.ts";
import type { Shape } from "../../src/engine/shape.ts";
import { initialWeights, Weights } from "../../src/engine/weights.ts";
import { numbers } from "./desk.ts";

export const smallShape: Shape = {
  vocabulary: 37,
  width: 16,
  layers: 2,
  heads: 2,
  hidden: 24,
  context: 32,
};

/** A model whose every matrix says something, also those that start at 0. */
export function smallModel(build: KernelBuild, shape: Shape = smallShape): ModelParts {
  const kernels = startKernels(build);
  const arena = new Arena(kernels.memory);
  const weights = new Weights(kernels, arena, shape);
  const rotation = rotationTables(arena, shape.context, shape.width / shape.heads / 2);
  weights.values.set(busyWeights(shape));
  return { kernels, arena, shape, weights, rotation };
}

export function busyWeights(shape: Shape): Float32Array {
  const first = initialWeights(shape, 1);
  const others = numbers(2, first.length, 0.3);
  return first.map((value, at) => (value === 0 ? others[at]! : value));
}
