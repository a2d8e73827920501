import fc from "fast-check";
import { expect, test } from "vitest";

import {
  appliedCoefficient,
  type EntropyState,
  initialEntropyState,
  nextEntropyState,
} from "../../src/algorithms/entropy-control.ts";

const settings = { entropyTarget: 0.5, entropyDelta: 0.01, maxEntropyCoefficient: 0.02 };

/** The coefficients that steps with these entropies apply. */
function coefficientsFor(entropies: readonly number[]): number[] {
  let state = initialEntropyState(settings);
  return entropies.map((entropy) => {
    const applied = appliedCoefficient(state, settings);
    state = nextEntropyState(state, entropy, settings);
    return applied;
  });
}

test("the coefficient grows below the target, up to its maximum, and is 0 above it", () => {
  expect(coefficientsFor([0.4, 0.4, 0.4, 0.9, 0.4, 0.4])).toEqual([0, 0.01, 0.02, 0.02, 0, 0.02]);
});

test("without a target, the coefficient is constant", () => {
  const constant = { entropyCoefficient: 0.03 };
  let state = initialEntropyState(constant);
  for (const entropy of [0.1, 2, null]) {
    expect(appliedCoefficient(state, constant)).toBe(0.03);
    state = nextEntropyState(state, entropy, constant);
  }
});

test("a step without entropies, such as one without groups, changes only the gate", () => {
  const state: EntropyState = { coefficient: 0.01, entropy: 0.2 };
  expect(nextEntropyState(state, null, settings)).toEqual({ coefficient: 0.01, entropy: null });
});

test("no bonus is applied after an entropy above the target, whatever happened before", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 3, noNaN: true })), (entropies) => {
      const last = coefficientsFor([...entropies, 0.51, 0]).at(-1);
      expect(last).toBe(0);
    }),
  );
});

test("in a simulated training, the entropy approaches the target from below and does not explode", () => {
  // Rewards lower the entropy at a constant rate, the bonus raises it without a bound.
  const simulate = (nextCoefficient: (entropy: number) => number): number[] => {
    const entropies = [0.8];
    for (let step = 0; step < 400; step += 1) {
      const entropy = entropies.at(-1)!;
      const pull = step < 100 ? 0.05 * entropy : 0;
      entropies.push(Math.max(0, entropy - pull + 2 * nextCoefficient(entropy)));
    }
    return entropies;
  };
  let state = initialEntropyState(settings);
  const adapted = simulate((entropy) => {
    state = nextEntropyState(state, entropy, settings);
    return appliedCoefficient(state, settings);
  });
  const constant = simulate(() => 0.01);
  expect(constant.at(-1)).toBeGreaterThan(5);
  expect(Math.max(...adapted.slice(50))).toBeLessThan(0.6);
  expect(Math.min(...adapted.slice(50))).toBeGreaterThan(0.4);
});
