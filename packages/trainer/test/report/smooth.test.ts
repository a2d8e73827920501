import * as fc from "fast-check";
import { expect, test } from "vitest";

import { reach, smooth } from "../../src/report/smooth.ts";

const values = fc.array(fc.option(fc.integer({ min: -1000, max: 1000 })), { maxLength: 60 });
const at = (ys: readonly (number | null)[]) => ys.map((y, x) => ({ x, y }));

test("a smoothed curve stays within what was measured, at the same places", () => {
  fc.assert(
    fc.property(values, fc.nat(10), (ys, reached) => {
      const known = ys.filter((y) => y !== null);
      const result = smooth(at(ys), reached);
      expect(result.map(({ x }) => x)).toEqual(ys.map((_, x) => x));
      for (const [place, { y }] of result.entries()) {
        if (y === null) {
          expect(ys[place]).toBeNull();
          continue;
        }
        expect(y).toBeGreaterThanOrEqual(Math.min(...known) - 1e-9);
        expect(y).toBeLessThanOrEqual(Math.max(...known) + 1e-9);
      }
    }),
  );
});

test("a straight line stays where it is, so that the curve does not lag", () => {
  const line = at(Array.from({ length: 40 }, (_, x) => 3 * x));
  for (const { x, y } of smooth(line, 5).slice(5, -5)) expect(y).toBeCloseTo(3 * x);
});

test("a gap between neighbours is bridged, an end is not made up", () => {
  expect(smooth(at([1, null, 3, null]), 1).map(({ y }) => y)).toEqual([1, 2, 3, null]);
});

test("magnitudes are averaged where they are asked for", () => {
  expect(smooth(at([1, null, 100]), 1, true)[1]!.y).toBeCloseTo(10);
});

test("few points are left as they are", () => {
  expect(reach(15)).toBe(0);
  expect(reach(600)).toBe(20);
  expect(smooth(at([1, 5, 2]), 0).map(({ y }) => y)).toEqual([1, 5, 2]);
});
