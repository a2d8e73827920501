import fc from "fast-check";
import { expect, test } from "vitest";

import { sparkline } from "../../src/render/sparkline.ts";

test("a rise is drawn from the lowest block to the highest", () => {
  expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7], 8)).toBe("▁▂▃▄▅▆▇█");
});

test("many values are averaged into the width", () => {
  expect(sparkline([0, 0, 0, 0, 8, 8, 8, 8], 2)).toBe("▁█");
});

test("gaps stay blank, and what does not change is neither low nor high", () => {
  expect(sparkline([3, null, Number.NaN, 3], 4)).toBe("▅  ▅");
});

test("no curve is wider than asked for", () => {
  const values = fc.array(fc.option(fc.double()), { maxLength: 300 });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 90 }), (values, width) => {
      const line = sparkline(values, width);
      expect(line).toHaveLength(Math.min(width, values.length));
      expect(line).toMatch(/^[▁▂▃▄▅▆▇█ ]*$/);
    }),
  );
});
