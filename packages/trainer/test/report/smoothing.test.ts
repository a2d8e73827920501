import * as fc from "fast-check";
import { expect, test } from "vitest";

import { smooth, smoothingRadius } from "../../src/report/smoothing.ts";

const values = fc.array(fc.option(fc.integer({ min: -1000, max: 1000 })), { maxLength: 60 });
const pointsAt = (ys: readonly (number | null)[]) => ys.map((y, x) => ({ x, y }));

test("smooth() stays within the range of the measurements", () => {
  fc.assert(
    fc.property(values, fc.nat(10), (ys, radius) => {
      const measured = ys.filter((y) => y !== null);
      const result = smooth(pointsAt(ys), radius);
      expect(result.map(({ x }) => x)).toEqual(ys.map((_, x) => x));
      for (const [index, { y }] of result.entries()) {
        if (y === null) {
          expect(ys[index]).toBeNull();
          continue;
        }
        expect(y).toBeGreaterThanOrEqual(Math.min(...measured) - 1e-9);
        expect(y).toBeLessThanOrEqual(Math.max(...measured) + 1e-9);
      }
    }),
  );
});

test("smooth() does not change a straight line, so the curve does not lag", () => {
  const line = pointsAt(Array.from({ length: 40 }, (_, x) => 3 * x));
  for (const { x, y } of smooth(line, 5).slice(5, -5)) expect(y).toBeCloseTo(3 * x);
});

test("smooth() interpolates gaps but does not extrapolate", () => {
  expect(smooth(pointsAt([1, null, 3, null]), 1).map(({ y }) => y)).toEqual([1, 2, 3, null]);
});

test("smooth() averages logarithms on request", () => {
  expect(smooth(pointsAt([1, null, 100]), 1, true)[1]!.y).toBeCloseTo(10);
});

test("smoothingRadius() is 0 for few points, which smooth() does not change", () => {
  expect(smoothingRadius(15)).toBe(0);
  expect(smoothingRadius(600)).toBe(20);
  expect(smooth(pointsAt([1, 5, 2]), 0).map(({ y }) => y)).toEqual([1, 5, 2]);
});
