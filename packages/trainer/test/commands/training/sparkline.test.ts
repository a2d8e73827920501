import fc from "fast-check";
import { expect, test } from "vitest";

import { sparkline } from "../../../src/commands/training/sparkline.ts";

test("draws a rise from the lowest to the highest block", () => {
  expect(sparkline([0, 1, 2, 3, 4, 5, 6, 7], 8)).toBe("▁▂▃▄▅▆▇█");
});

test("averages values that exceed the width", () => {
  expect(sparkline([0, 0, 0, 0, 8, 8, 8, 8], 2)).toBe("▁█");
});

test("leaves gaps blank and draws a constant series at half height", () => {
  expect(sparkline([3, null, Number.NaN, 3], 4)).toBe("▅  ▅");
});

test("does not exceed the width", () => {
  const values = fc.array(fc.option(fc.double()), { maxLength: 300 });
  fc.assert(
    fc.property(values, fc.integer({ min: 1, max: 90 }), (values, width) => {
      const line = sparkline(values, width);
      expect(line).toHaveLength(Math.min(width, values.length));
      expect(line).toMatch(/^[▁▂▃▄▅▆▇█ ]*$/);
    }),
  );
});
