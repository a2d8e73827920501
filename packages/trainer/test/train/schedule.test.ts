import fc from "fast-check";
import { expect, test } from "vitest";

import { rateAt } from "../../src/train/schedule.ts";

const linear = { warmup: 10, annealFrom: 0.4, shape: "linear", floor: 0 } as const;

test("the rate rises, stays constant, then decays", () => {
  const rates = [0, 4, 9, 30, 40, 70, 99].map((step) => rateAt(step, 100, linear));
  expect(rates.map((rate) => Number(rate.toFixed(3)))).toEqual([0.1, 0.5, 1, 1, 1, 0.5, 0.017]);
});

test("constant does not decay, cosine ends at its floor", () => {
  expect(rateAt(99, 100, { ...linear, shape: "constant" })).toBe(1);
  const cosine = { ...linear, shape: "cosine", floor: 0.25 } as const;
  expect(rateAt(70, 100, cosine)).toBeCloseTo(0.625);
  expect(rateAt(99, 100, cosine)).toBeCloseTo(0.25, 2);
});

test("the rate is always between 0 and 1", () => {
  const schedule = fc.record({
    warmup: fc.nat(50),
    annealFrom: fc.double({ min: 0, max: 1, noNaN: true }),
    shape: fc.constantFrom("constant", "linear", "cosine"),
    floor: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(
      schedule,
      fc.integer({ min: 1, max: 500 }),
      fc.nat(499),
      (settings, steps, step) => {
        const rate = rateAt(Math.min(step, steps - 1), steps, settings as typeof linear);
        expect(rate).toBeGreaterThanOrEqual(0);
        expect(rate).toBeLessThanOrEqual(1 + 1e-12);
      },
    ),
  );
});
