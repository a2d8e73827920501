import fc from "fast-check";
import { expect, test } from "vitest";

import {
  bestResponse,
  careless,
  equilibrium,
  exploitability,
  gameValue,
  honest,
  lossOf,
  type Strategy,
  valueOf,
} from "../src/exact.ts";

const probability = fc.double({ min: 0, max: 1, noNaN: true });

/** A strategy with any probabilities. */
const anyStrategy: fc.Arbitrary<Strategy> = fc
  .array(probability, { minLength: 12, maxLength: 12 })
  .map((values) => (card, history) => {
    const point = ["", "check", "bet", "check bet"].indexOf(history.join(" "));
    return values["JQK".indexOf(card) * 4 + point]!;
  });

test.each([0, 0.1, 1 / 3])("an equilibrium with bluff %d has the value of the game", (bluff) => {
  expect(valueOf(equilibrium(bluff), equilibrium())).toBeCloseTo(-1 / 18, 12);
  expect(exploitability(equilibrium(bluff))).toBeCloseTo(0, 12);
});

test("uniform random play has the exploitability that is published for it", () => {
  // The exploitability is half of the published NashConv of 11/12.
  expect(exploitability(careless(0.5))).toBeCloseTo(11 / 24, 12);
});

test("playing without bluffs can be exploited", () => {
  expect(exploitability(honest)).toBeGreaterThan(0.05);
});

test("no strategy gains against an equilibrium", () => {
  fc.assert(
    fc.property(anyStrategy, (strategy) => {
      expect(valueOf(strategy, equilibrium())).toBeLessThanOrEqual(gameValue + 1e-9);
      expect(valueOf(equilibrium(), strategy)).toBeGreaterThanOrEqual(gameValue - 1e-9);
    }),
  );
});

test("a best response is at least as good as any strategy", () => {
  fc.assert(
    fc.property(anyStrategy, anyStrategy, (strategy, other) => {
      const first = valueOf(bestResponse("player0", strategy), strategy);
      const second = valueOf(strategy, bestResponse("player1", strategy));
      expect(first).toBeGreaterThanOrEqual(valueOf(other, strategy) - 1e-9);
      expect(second).toBeLessThanOrEqual(valueOf(strategy, other) + 1e-9);
    }),
  );
});

test("exploitability is never negative in either seat", () => {
  fc.assert(
    fc.property(anyStrategy, (strategy) => {
      expect(lossOf("player0", strategy)).toBeGreaterThanOrEqual(-1e-9);
      expect(lossOf("player1", strategy)).toBeGreaterThanOrEqual(-1e-9);
    }),
  );
});
