import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { OptimizerSettings } from "../../src/backend.ts";
import { AdamW } from "../../src/engine/adam.ts";
import { builds, distance, numbers } from "./desk.ts";
import { dot } from "./slow.ts";
import { smallModel, smallShape } from "./small-model.ts";

const plain: OptimizerSettings = {
  learningRate: 1e-2,
  beta1: 0.9,
  beta2: 0.95,
  epsilon: 1e-8,
  weightDecay: 0,
  clipNorm: 0,
};

const settings: fc.Arbitrary<OptimizerSettings> = fc.record({
  learningRate: fc.constantFrom(0, 1e-3, 0.1),
  beta1: fc.constantFrom(0, 0.9),
  beta2: fc.constantFrom(0, 0.95, 0.999),
  epsilon: fc.constantFrom(1e-8, 1e-2),
  weightDecay: fc.constantFrom(0, 0.1),
  clipNorm: fc.constantFrom(0, 0.5, 1e6),
});

/** AdamW as its paper writes it: Loshchilov and Hutter 2019, algorithm 2, with the gradients clipped first. */
class SlowAdamW {
  readonly #first: number[] = [];
  readonly #second: number[] = [];
  #steps = 0;

  step(
    weights: readonly number[],
    gradients: readonly number[],
    given: OptimizerSettings,
  ): number[] {
    const { learningRate, beta1, beta2, epsilon, weightDecay, clipNorm } = given;
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
  test("takes the steps of a plain implementation, and returns the norm before clipping", () => {
    fc.assert(
      fc.property(settings, fc.nat(1000), (given, seed) => {
        const model = smallModel(build, { ...smallShape, layers: 1, vocabulary: 9, hidden: 8 });
        const { weights } = model;
        const adam = new AdamW(model);
        const slow = new SlowAdamW();
        let expected = [...weights.values];
        for (let step = 0; step < 4; step += 1) {
          const gradients = numbers(seed + step, weights.count);
          weights.gradientValues.set(gradients);
          expected = slow.step(expected, gradients, given);
          expect(adam.step(given)).toBeCloseTo(Math.sqrt(dot(gradients, gradients)), 4);
          const greatest = Math.max(1, ...expected.map(Math.abs));
          expect(distance([...weights.values], expected) / greatest).toBeLessThan(2e-5);
        }
        expect(adam.steps).toBe(4);
      }),
      { numRuns: 20 },
    );
  });

  test("clears the gradients after a step", () => {
    const model = smallModel(build);
    model.weights.gradientValues.fill(1);
    new AdamW(model).step(plain);
    expect(model.weights.gradientValues.every((value) => value === 0)).toBe(true);
  });

  test.each([Number.NaN, Infinity])(
    "does not move along a gradient of %s, and clears it",
    (value) => {
      const model = smallModel(build);
      const adam = new AdamW(model);
      const before = model.weights.values.slice();
      model.weights.gradientValues[7] = value;
      expect(adam.step(plain)).not.toSatisfy(Number.isFinite);
      expect(model.weights.values).toEqual(before);
      expect(adam.steps).toBe(0);
      expect(adam.moments.first.every((moment) => moment === 0)).toBe(true);
      expect(model.weights.gradientValues.every((gradient) => gradient === 0)).toBe(true);
    },
  );

  test("moves no weight that has no gradient", () => {
    const model = smallModel(build);
    const before = model.weights.values.slice();
    model.weights.gradientValues[3] = 1;
    new AdamW(model).step(plain);
    const moved = [...before.keys()].filter((at) => before[at] !== model.weights.values[at]);
    expect(moved).toEqual([3]);
  });
});
