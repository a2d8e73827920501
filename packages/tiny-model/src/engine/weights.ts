import { random } from "@envs/core";

import type { Arena } from "./arena.ts";
import type { Kernels } from "./kernels.ts";
import { type Parameter, parametersOf, type Shape, sizeOf } from "./shape.ts";

/** Addresses of one matrix, its gradient and its transpose. */
export interface Matrix {
  readonly rows: number;
  readonly columns: number;
  readonly weight: number;
  readonly gradient: number;
  readonly transposed: number;
}

/** The parameters of a model in memory, with the gradients and transposes for the backward pass. */
export class Weights {
  readonly parameters: readonly Parameter[];
  readonly count: number;
  readonly address: number;
  readonly gradients: number;
  readonly #kernels: Kernels;
  readonly #arena: Arena;
  readonly #matrices: ReadonlyMap<string, Matrix>;
  #isTransposed = false;

  constructor(kernels: Kernels, arena: Arena, shape: Shape) {
    this.#kernels = kernels;
    this.#arena = arena;
    this.parameters = parametersOf(shape);
    this.count = sizeOf(this.parameters);
    this.address = arena.allocate(this.count);
    this.gradients = arena.allocate(this.count);
    const transposes = arena.allocate(this.count);
    this.#matrices = new Map(
      this.parameters.map(({ name, rows, columns, offset }) => [
        name,
        {
          rows,
          columns,
          weight: this.address + offset * 4,
          gradient: this.gradients + offset * 4,
          transposed: transposes + offset * 4,
        },
      ]),
    );
  }

  matrix(name: string): Matrix {
    const matrix = this.#matrices.get(name);
    if (matrix === undefined) throw new RangeError(`The model has no parameter ${name}.`);
    return matrix;
  }

  get values(): Float32Array {
    return this.#arena.floats(this.address, this.count);
  }

  get gradientValues(): Float32Array {
    return this.#arena.floats(this.gradients, this.count);
  }

  /** Call it after each change of the weights. */
  invalidateTransposes(): void {
    this.#isTransposed = false;
  }

  /** Recomputes the transposes if the weights have changed. */
  updateTransposes(): void {
    if (this.#isTransposed) return;
    for (const { rows, columns, weight, transposed } of this.#matrices.values())
      this.#kernels.transpose(rows, columns, weight, columns * 4, transposed, rows * 4);
    this.#isTransposed = true;
  }
}

/**
 * Initial weights: 0 for matrices that write to the residual stream and for the head, a standard normal distribution for
 * embeddings, and a normal distribution of variance 1 / rows for all others.
 */
export function initialWeights(shape: Shape, seed: number): Float32Array {
  const parameters = parametersOf(shape);
  const values = new Float32Array(sizeOf(parameters));
  for (const { name, rows, columns, offset } of parameters) {
    if (/\.(?:out|down)$|^head$/u.test(name)) continue;
    const source = random("weights", seed, name);
    const deviation = name === "embedding" ? 1 : 1 / Math.sqrt(rows);
    for (let index = 0; index < rows * columns; index += 2) {
      const radius = deviation * Math.sqrt(-2 * Math.log(1 - source.next()));
      const angle = 2 * Math.PI * source.next();
      values[offset + index] = radius * Math.cos(angle);
      if (index + 1 < rows * columns) values[offset + index + 1] = radius * Math.sin(angle);
    }
  }
  return values;
}
