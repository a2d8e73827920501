import { type Engine, startEngine } from "../../src/engine/engine.ts";
import type { KernelBuild } from "../../src/engine/kernels.ts";
import type { Shape } from "../../src/engine/shape.ts";
import { initialWeights } from "../../src/engine/weights.ts";
import { numbers } from "./scratch-memory.ts";

export const smallShape: Shape = {
  vocabulary: 37,
  width: 16,
  layers: 2,
  heads: 2,
  hidden: 24,
  context: 32,
};

/** A model without matrices that are 0. */
export function smallEngine(build: KernelBuild, shape: Shape = smallShape): Engine {
  const engine = startEngine(shape, build);
  engine.weights.values.set(nonzeroWeights(shape));
  return engine;
}

/** Initial weights, with random numbers for the matrices that would be 0. */
export function nonzeroWeights(shape: Shape): Float32Array {
  const first = initialWeights(shape, 1);
  const others = numbers(2, first.length, 0.3);
  return first.map((value, at) => (value === 0 ? others[at]! : value));
}
