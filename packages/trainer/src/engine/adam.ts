import type { OptimizerSettings } from "../backend.ts";
import type { ModelParts } from "./model-parts.ts";

/** AdamW over all parameters (Loshchilov and Hutter 2019), with the gradients clipped to a global norm. */
export class AdamW {
  /** How many steps were taken. */
  steps = 0;
  readonly #model: ModelParts;
  readonly #first: number;
  readonly #second: number;

  constructor(model: ModelParts) {
    this.#model = model;
    this.#first = model.arena.allocate(model.weights.count);
    this.#second = model.arena.allocate(model.weights.count);
  }

  /** The two moments of every parameter. */
  get moments(): { readonly first: Float32Array; readonly second: Float32Array } {
    const { arena, weights } = this.#model;
    return {
      first: arena.floats(this.#first, weights.count),
      second: arena.floats(this.#second, weights.count),
    };
  }

  /** Takes one step, clears the gradients and returns their norm. Does not move along gradients that are not finite. */
  step(settings: OptimizerSettings): number {
    const { kernels, weights } = this.#model;
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
      weights.changed();
    }
    weights.gradientValues.fill(0);
    return norm;
  }
}
