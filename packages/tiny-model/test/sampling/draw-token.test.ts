import { random } from "@envs/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { drawToken, mostProbable } from "../../src/sampling/draw-token.ts";

const distributions = fc
  .array(fc.double({ min: 1e-6, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 })
  .map((weights) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return Float32Array.from(weights, (weight) => weight / total);
  });

test("the most probable token with the lowest id is selected", () => {
  expect(mostProbable(Float32Array.of(0.2, 0.4, 0.4))).toEqual({
    id: 1,
    logprob: Math.log(Math.fround(0.4)),
  });
});

test("a draw returns the log-probability that it was drawn with", () => {
  fc.assert(
    fc.property(distributions, fc.nat(), (probabilities, seed) => {
      const { id, logprob } = drawToken(probabilities, 1, random(seed));
      expect(logprob).toBeCloseTo(Math.log(probabilities[id]!), 5);
    }),
  );
});

test.each<[number, number[]]>([
  [1, [0.1, 0.6, 0, 0.3]],
  [0.85, [0, 2 / 3, 0, 1 / 3]],
])("draws with topP %s have the frequencies of their probabilities", (topP, expected) => {
  const probabilities = Float32Array.of(0.1, 0.6, 0, 0.3);
  const source = random("draws");
  const counts = [0, 0, 0, 0];
  for (let time = 0; time < 10_000; time += 1)
    counts[drawToken(probabilities, topP, source).id]! += 1;
  // Six standard deviations of a binomial.
  for (const [id, count] of counts.entries())
    expect(Math.abs(count / 10_000 - expected[id]!)).toBeLessThan(expected[id] === 0 ? 1e-9 : 0.03);
});

test("a nucleus is the smallest set of most probable tokens; log-probabilities refer to it", () => {
  fc.assert(
    fc.property(
      distributions,
      fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      fc.nat(),
      (probabilities, topP, seed) => {
        const { id, logprob } = drawToken(probabilities, topP, random(seed));
        const before = [...probabilities.keys()].filter(
          (other) =>
            probabilities[other]! > probabilities[id]! ||
            (probabilities[other] === probabilities[id] && other < id),
        );
        const massBefore = before.reduce((sum, other) => sum + probabilities[other]!, 0);
        expect(massBefore).toBeLessThan(topP + 1e-6);
        expect(logprob).toBeGreaterThanOrEqual(Math.log(probabilities[id]!) - 1e-6);
      },
    ),
  );
});

test("a nucleus of one token has the log-probability 0", () => {
  expect(drawToken(Float32Array.of(0.3, 0.5, 0.2), 0.5, random(1))).toEqual({ id: 1, logprob: 0 });
});
