import { expect, test } from "vitest";

import { overlongPenalty } from "../../src/algorithms/overlong.ts";

test("the penalty of a reply grows over the last tokens before the maximum", () => {
  const settings = { maxTokens: 100, buffer: 20, penalty: 1 };
  const penalties = [0, 79, 80, 90, 100, 120].map((length) => overlongPenalty(length, settings));
  // DAPO, eq. 13
  expect(penalties).toEqual([0, 0, 0, -0.5, -1, -1]);
  expect(overlongPenalty(95, { ...settings, penalty: 0.4 })).toBeCloseTo(-0.3, 9);
});
