import { random } from "@envs/core";
import * as fc from "fast-check";
import { expect, test } from "vitest";

import { draw, mostProbable } from "../../src/tiny/choose.ts";

const distributions = fc
  .array(fc.double({ min: 1e-6, max: 1, noNaN: true }), { minLength: 1, maxLength: 12 })
  .map((weights) => {
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    return Float32Array.from(weights, (weight) => weight / total);
  });

test("the most probable token is the first of the greatest", () => {
  expect(mostProbable(Float32Array.of(0.2, 0.4, 0.4))).toEqual({
    id: 1,
    logprob: Math.log(Math.fround(0.4)),
  });
});

test("a draw has the log-probability that it is drawn with", () => {
  fc.assert(
    fc.property(distributions, fc.nat(), (probabilities, seed) => {
      const { id, logprob } = draw(probabilities, 1, random(seed));
      expect(logprob).toBeCloseTo(Math.log(probabilities[id]!), 5);
    }),
  );
});

test.each<[number, number[]]>([
  [1, [0.1, 0.6, 0, 0.3]],
  [0.85, [0, 2 / 3, 0, 1 / 3]],
])("draws with topP %s are as frequent as they are probable", (topP, expected) => {
  const probabilities = Float32Array.of(0.1, 0.6, 0, 0.3);
  const source = random("draws");
  const counts = [0, 0, 0, 0];
  for (let time = 0; time < 10_000; time += 1) counts[draw(probabilities, topP, source).id]! += 1;
  // Six standard deviations of a binomial.
  for (const [id, count] of counts.entries())
    expect(Math.abs(count / 10_000 - expected[id]!)).toBeLessThan(expected[id] === 0 ? 1e-9 : 0.03);
});

test("a nucleus holds the most probable tokens and no more than it needs; log-probabilities are within it", () => {
  fc.assert(
    fc.property(
      distributions,
      fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      fc.nat(),
      (probabilities, topP, seed) => {
        const { id, logprob } = draw(probabilities, topP, random(seed));
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

test("a nucleus of one token is that token, for certain", () => {
  expect(draw(Float32Array.of(0.3, 0.5, 0.2), 0.5, random(1))).toEqual({ id: 1, logprob: 0 });
});
