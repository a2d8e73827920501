import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { AdamW, type AdamWSettings } from "../../src/engine/adamw.ts";
import { dot } from "./reference-math.ts";
import { builds, distance, numbers } from "./scratch-memory.ts";
import { smallEngine, smallShape } from "./small-engine.ts";

const defaults: AdamWSettings = {
  learningRate: 1e-2,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  clipNorm: 0,
};

const anySettings: fc.Arbitrary<AdamWSettings> = fc.record({
  learningRate: fc.constantFrom(0, 1e-3, 0.1),
  beta1: fc.constantFrom(0, 0.9),
  beta2: fc.constantFrom(0, 0.95, 0.999),
  epsilon: fc.constantFrom(1e-8, 1e-2),
  weightDecay: fc.constantFrom(0, 0.1),
  clipNorm: fc.constantFrom(0, 0.5, 1e6),
});

/** Loshchilov and Hutter 2019, algorithm 2, with the gradients clipped first. */
class ReferenceAdamW {
  readonly #first: number[] = [];
  readonly #second: number[] = [];
  #steps = 0;

  step(
    weights: readonly number[],
    gradients: readonly number[],
    hyperparameters: AdamWSettings,
  ): number[] {
    const { learningRate, beta1, beta2, epsilon, weightDecay, clipNorm } = hyperparameters;
    const norm = Math.sqrt(dot(gradients, gradients));
    const scale = clipNorm > 0 && norm > clipNorm ? clipNorm / norm : 1;
    this.#steps += 1;
    return weights.map((weight, at) => {
      const gradient = gradients[at]! * scale;
      this.#first[at] = beta1 * (this.#first[at] ?? 0) + (1 - beta1) * gradient;
      this.#second[at] = beta2 * (this.#second[at] ?? 0) + (1 - beta2) * gradient ** 2;
      const mean = this.#first[at]! / (1 - beta1 ** this.#steps);
      const variance = this.#second[at]! / (1 - beta2 ** this.#steps);
      const move = mean / (Math.sqrt(variance) + epsilon) + weightDecay * weight;
      return weight - learningRate * move;
    });
  }
}

describe.each(builds)("AdamW, %s", (build) => {
  test("matches a plain implementation, and returns the norm before clipping", () => {
    fc.assert(
      fc.property(anySettings, fc.nat(1000), (hyperparameters, seed) => {
        const model = smallEngine(build, { ...smallShape, layers: 1, vocabulary: 9, hidden: 8 });
        const { weights } = model;
        const adam = new AdamW(model.kernels, model.arena, model.weights);
        const reference = new ReferenceAdamW();
        let expected = [...weights.values];
        for (let step = 0; step < 4; step += 1) {
          const gradients = numbers(seed + step, weights.count);
          weights.gradientValues.set(gradients);
          expected = reference.step(expected, gradients, hyperparameters);
          expect(adam.step(hyperparameters)).toBeCloseTo(Math.sqrt(dot(gradients, gradients)), 4);
          const scale = Math.max(1, ...expected.map(Math.abs));
          expect(distance([...weights.values], expected) / scale).toBeLessThan(2e-5);
        }
        expect(adam.steps).toBe(4);
      }),
      { numRuns: 20 },
    );
  });

  test("clears the gradients after a step", () => {
    const model = smallEngine(build);
    model.weights.gradientValues.fill(1);
    new AdamW(model.kernels, model.arena, model.weights).step(defaults);
    expect(model.weights.gradientValues.every((value) => value === 0)).toBe(true);
  });

  test.each([Number.NaN, Infinity])(
    "skips the update if a gradient is %s, and clears the gradients",
    (value) => {
      const model = smallEngine(build);
      const adam = new AdamW(model.kernels, model.arena, model.weights);
      const before = model.weights.values.slice();
      model.weights.gradientValues[7] = value;
      expect(adam.step(defaults)).not.toSatisfy(Number.isFinite);
      expect(model.weights.values).toEqual(before);
      expect(adam.steps).toBe(0);
      expect(adam.moments.first.every((moment) => moment === 0)).toBe(true);
      expect(model.weights.gradientValues.every((gradient) => gradient === 0)).toBe(true);
    },
  );

  test("does not change weights whose gradient is 0", () => {
    const model = smallEngine(build);
    const before = model.weights.values.slice();
    model.weights.gradientValues[3] = 1;
    new AdamW(model.kernels, model.arena, model.weights).step(defaults);
    const moved = [...before.keys()].filter((at) => before[at] !== model.weights.values[at]);
    expect(moved).toEqual([3]);
  });
});
