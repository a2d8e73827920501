import { ConfigError, random } from "@envs/core";
import type { Arena, Kernels } from "@envs/tiny-model/engine";

import { type Architecture, type Projection, projections, sizeOf } from "../model/architecture.ts";
import { dense, multiply, transposed } from "../model/products.ts";

/** The size of a LoRA adapter. */
export interface AdapterSettings {
  /** A multiple of 8. */
  readonly rank: number;
  /** The adapter's output is multiplied by `alpha / rank`. */
  readonly alpha: number;
  /** The matrices that it changes. */
  readonly targets: readonly Projection[];
}

export const defaultAdapter: AdapterSettings = { rank: 16, alpha: 32, targets: projections };

/** The addresses of one pair of matrices: x · A · B is added to the projection of x (LoRA, Hu et al. 2021). */
export interface AdapterPair {
  readonly layer: number;
  readonly projection: Projection;
  readonly inputs: number;
  readonly outputs: number;
  /** `inputs` × rank numbers. */
  readonly a: number;
  /** rank × `outputs` numbers. */
  readonly b: number;
  readonly gradientA: number;
  readonly gradientB: number;
}

/** A LoRA adapter of all layers in memory, with its gradients. */
export class Adapter {
  readonly settings: AdapterSettings;
  readonly count: number;
  readonly address: number;
  readonly gradients: number;
  readonly pairs: readonly AdapterPair[];
  readonly #arena: Arena;
  readonly #kernels: Kernels;
  readonly #byName: ReadonlyMap<string, AdapterPair>;
  readonly #transposes: { readonly a: number; readonly b: number };
  readonly #gradientT: number;

  /** `capacity`: maximum number of rows of `apply` and `applyBackward`. */
  constructor(
    { kernels, arena }: { readonly kernels: Kernels; readonly arena: Arena },
    architecture: Architecture,
    settings: AdapterSettings,
    capacity: number,
  ) {
    const { rank, targets } = settings;
    if (!(Number.isInteger(rank) && rank >= 8 && rank % 8 === 0))
      throw new ConfigError(`The rank of the adapter is ${rank}. It must be a multiple of 8.`);
    if (targets.length === 0) throw new ConfigError("The adapter changes no matrix. Name one.");
    this.settings = settings;
    this.#arena = arena;
    this.#kernels = kernels;
    const sizes = Array.from({ length: architecture.layers }, (_, layer) =>
      projections
        .filter((projection) => targets.includes(projection))
        .map((projection) => {
          const { inputs, outputs } = sizeOf(architecture, projection);
          return { layer, projection, inputs, outputs };
        }),
    ).flat();
    this.count = sizes.reduce((sum, { inputs, outputs }) => sum + rank * (inputs + outputs), 0);
    this.address = arena.allocate(this.count);
    this.gradients = arena.allocate(this.count);
    let offset = 0;
    this.pairs = sizes.map(({ layer, projection, inputs, outputs }) => {
      const [a, b] = [offset * 4, (offset + inputs * rank) * 4];
      offset += rank * (inputs + outputs);
      return {
        layer,
        projection,
        inputs,
        outputs,
        a: this.address + a,
        b: this.address + b,
        gradientA: this.gradients + a,
        gradientB: this.gradients + b,
      };
    });
    this.#byName = new Map(this.pairs.map((pair) => [`${pair.layer}.${pair.projection}`, pair]));
    const widest = (side: "inputs" | "outputs"): number =>
      Math.max(...this.pairs.map((pair) => pair[side]));
    this.#transposes = {
      a: arena.allocate(rank * widest("inputs")),
      b: arena.allocate(rank * widest("outputs")),
    };
    this.#gradientT = arena.allocate(capacity * rank);
  }

  get values(): Float32Array {
    return this.#arena.floats(this.address, this.count);
  }

  get gradientValues(): Float32Array {
    return this.#arena.floats(this.gradients, this.count);
  }

  pair(layer: number, projection: Projection): AdapterPair | undefined {
    return this.#byName.get(`${layer}.${projection}`);
  }

  /** Copies the numbers of a pair. */
  read({ inputs, outputs, a, b }: AdapterPair): PairValues {
    const { rank } = this.settings;
    return {
      a: this.#arena.floats(a, inputs * rank).slice(),
      b: this.#arena.floats(b, outputs * rank).slice(),
    };
  }

  write({ inputs, outputs, a, b }: AdapterPair, values: PairValues): void {
    const { rank } = this.settings;
    this.#arena.floats(a, inputs * rank).set(values.a);
    this.#arena.floats(b, outputs * rank).set(values.b);
  }

  /** A is uniform between ±1/√inputs and B is 0, as in PEFT, so that the model is unchanged at first. */
  initialize(seed: number): void {
    const { rank } = this.settings;
    for (const pair of this.pairs) {
      const { layer, projection, inputs, outputs } = pair;
      const source = random("adapter", seed, layer, projection);
      const bound = 1 / Math.sqrt(inputs);
      this.write(pair, {
        a: Float32Array.from({ length: inputs * rank }, () => bound * (2 * source.next() - 1)),
        b: new Float32Array(outputs * rank),
      });
    }
  }

  /** Adds the adapter's output for rows `x` to `y`, whose rows are `strideY` bytes apart. `t` keeps x · A for the backward pass. */
  apply(rows: number, pair: AdapterPair, io: AdapterRows): void {
    const { rank, alpha } = this.settings;
    const { inputs, outputs, a, b } = pair;
    const { x, y, strideY, t } = io;
    const kernels = this.#kernels;
    multiply(kernels, {
      rows,
      columns: rank,
      inner: inputs,
      left: dense(x, inputs),
      right: dense(a, rank),
      to: dense(t, rank),
    });
    kernels.multiply(rows * rank, t, alpha / rank);
    multiply(kernels, {
      rows,
      columns: outputs,
      inner: rank,
      left: dense(t, rank),
      right: dense(b, outputs),
      to: { at: y, row: strideY },
      adds: true,
    });
  }

  /** Given the gradient `y` of the output, adds to the gradients of A and B, and to the gradient `dx` of the rows. */
  applyBackward(rows: number, pair: AdapterPair, io: AdapterRows & { readonly dx: number }): void {
    const { rank, alpha } = this.settings;
    const { inputs, outputs, a, b, gradientA, gradientB } = pair;
    const { x, y, strideY, t, dx } = io;
    const kernels = this.#kernels;
    const dt = this.#gradientT;
    multiply(kernels, {
      rows: rank,
      columns: outputs,
      inner: rows,
      left: transposed(t, rank),
      right: { at: y, row: strideY },
      to: dense(gradientB, outputs),
      adds: true,
    });
    kernels.transpose(rank, outputs, b, outputs * 4, this.#transposes.b, rank * 4);
    multiply(kernels, {
      rows,
      columns: rank,
      inner: outputs,
      left: { at: y, row: strideY, step: 4 },
      right: dense(this.#transposes.b, rank),
      to: dense(dt, rank),
    });
    kernels.multiply(rows * rank, dt, alpha / rank);
    multiply(kernels, {
      rows: inputs,
      columns: rank,
      inner: rows,
      left: transposed(x, inputs),
      right: dense(dt, rank),
      to: dense(gradientA, rank),
      adds: true,
    });
    kernels.transpose(inputs, rank, a, rank * 4, this.#transposes.a, inputs * 4);
    multiply(kernels, {
      rows,
      columns: inputs,
      inner: rank,
      left: dense(dt, rank),
      right: dense(this.#transposes.a, inputs),
      to: dense(dx, inputs),
      adds: true,
    });
  }
}

/** The numbers of a pair: A, `inputs` × rank, and B, rank × `outputs`. */
export interface PairValues {
  readonly a: Float32Array;
  readonly b: Float32Array;
}

/** The addresses of rows: dense inputs, outputs (or their gradient), and x · A. */
export interface AdapterRows {
  readonly x: number;
  readonly y: number;
  readonly strideY: number;
  readonly t: number;
}
