import type { Engine } from "./engine.ts";

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

/** AdamW over all parameters (Loshchilov and Hutter 2019), with the gradients clipped to a global norm. */
export class AdamW {
  /** Number of completed steps. */
  steps = 0;
  readonly #engine: Engine;
  readonly #first: number;
  readonly #second: number;

  constructor(engine: Engine) {
    this.#engine = engine;
    this.#first = engine.arena.allocate(engine.weights.count);
    this.#second = engine.arena.allocate(engine.weights.count);
  }

  /** Views of the first and second moment of every parameter. */
  get moments(): { readonly first: Float32Array; readonly second: Float32Array } {
    const { arena, weights } = this.#engine;
    return {
      first: arena.floats(this.#first, weights.count),
      second: arena.floats(this.#second, weights.count),
    };
  }

  /** Updates the weights, clears the gradients and returns their norm. Skips the update if the norm is not finite. */
  step(settings: AdamWSettings): number {
    const { kernels, weights } = this.#engine;
    const { learningRate, beta1, beta2, epsilon, weightDecay, clipNorm } = settings;
    const norm = Math.sqrt(kernels.sumOfSquares(weights.count, weights.gradients));
    if (Number.isFinite(norm)) {
      this.steps += 1;
      kernels.adamW(
        weights.count,
        weights.address,
        weights.gradients,
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
      weights.invalidateTransposes();
    }
    weights.gradientValues.fill(0);
    return norm;
  }
}
