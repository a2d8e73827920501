import { expect, test } from "vitest";

import { formatEstimate, formatInterval } from "../../src/smoke/format-estimate.ts";

test("formatEstimate() and formatInterval() round to the significant decimals", () => {
  expect(formatEstimate(0.416_79, 0.04)).toBe("0.42");
  expect(formatEstimate(0.416_79, 0.004)).toBe("0.417");
  expect(formatEstimate(103.7, 12)).toBe("104");
  expect(formatEstimate(1, 0)).toBe("1.00");
  expect(formatEstimate(-0.001, 0.04)).toBe("0.00");
  expect(formatInterval({ mean: 0.1, low: 0.056, high: 0.144 })).toBe("0.06 to 0.14");
});
