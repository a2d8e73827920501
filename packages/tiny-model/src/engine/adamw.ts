import type { Arena } from "./arena.ts";
import type { Kernels } from "./kernels.ts";

/** Hyperparameters of one AdamW step. */
export interface AdamWSettings {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  /** Decoupled from the gradient. */
  readonly weightDecay: number;
  /** Maximum global norm of the gradients; larger gradients are scaled down. 0 disables clipping. */
  readonly clipNorm: number;
}

/** Numbers to optimise, in the memory of the kernels. */
export interface Parameters {
  readonly count: number;
  readonly address: number;
  /** The address of their gradients. */
  readonly gradients: number;
}

/** AdamW over all parameters (Loshchilov and Hutter 2019), with the gradients clipped to a global norm. */
export class AdamW {
  /** Number of completed steps. */
  steps = 0;
  readonly #kernels: Kernels;
  readonly #arena: Arena;
  readonly #parameters: Parameters;
  readonly #first: number;
  readonly #second: number;

  constructor(kernels: Kernels, arena: Arena, parameters: Parameters) {
    this.#kernels = kernels;
    this.#arena = arena;
    this.#parameters = parameters;
    this.#first = arena.allocate(parameters.count);
    this.#second = arena.allocate(parameters.count);
  }

  /** Views of the first and second moment of every parameter. */
  get moments(): { readonly first: Float32Array; readonly second: Float32Array } {
    const { count } = this.#parameters;
    return {
      first: this.#arena.floats(this.#first, count),
      second: this.#arena.floats(this.#second, count),
    };
  }

  /** Updates the weights, clears the gradients and returns their norm. Skips the update if the norm is not finite. */
  step(settings: AdamWSettings): number {
    const { count, address, gradients } = this.#parameters;
    const { learningRate, beta1, beta2, epsilon, weightDecay, clipNorm } = settings;
    const norm = Math.sqrt(this.#kernels.sumOfSquares(count, gradients));
    if (Number.isFinite(norm)) {
      this.steps += 1;
      this.#kernels.adamW(
        count,
        address,
        gradients,
        this.#first,
        this.#second,
        clipNorm > 0 && norm > clipNorm ? clipNorm / norm : 1,
        beta1,
        beta2,
        learningRate / (1 - beta1 ** this.steps),
        1 / Math.sqrt(1 - beta2 ** this.steps),
        epsilon,
        learningRate * weightDecay,
      );
    }
    this.#arena.floats(gradients, count).fill(0);
    return norm;
  }
}
