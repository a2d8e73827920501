import * as fc from "fast-check";
import { expect, test } from "vitest";

import { wilson } from "../../src/report/wilson.ts";

test("the ends are the shares at which what was seen is 1.96 standard errors away", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5000 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (count, part) => {
        const hits = Math.round(part * count);
        for (const end of wilson(hits, count)) {
          const error = Math.sqrt((end * (1 - end)) / count);
          if (error > 0) expect(Math.abs(hits / count - end) / error).toBeCloseTo(1.96, 3);
          expect(end === 0 ? hits : end === 1 ? count - hits : 0).toBe(0);
        }
      },
    ),
  );
});

test("figures of the literature: 0 of 10 and 81 of 263 (Newcombe 1998)", () => {
  expect(wilson(0, 10)[1]).toBeCloseTo(0.2775, 4);
  const [low, high] = wilson(81, 263);
  expect(low).toBeCloseTo(0.2553, 4);
  expect(high).toBeCloseTo(0.3662, 4);
});

test("of nothing, nothing is known", () => {
  expect(wilson(0, 0)).toEqual([0, 1]);
});
