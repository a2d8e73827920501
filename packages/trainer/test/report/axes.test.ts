import { expect, test } from "vitest";

import { stepAxis } from "../../src/report/axes.ts";

const frame = { left: 0, right: 100 };

test("a short phase after a long one has at least a quarter of the width", () => {
  const { position } = stepAxis(
    [
      { name: "sft", start: 0, steps: 3000 },
      { name: "rl", start: 3000, steps: 60 },
    ],
    frame,
  );
  expect(position(0)).toBe(0);
  expect(position(3000)).toBeCloseTo(74, 0);
  expect(position(3030)).toBeCloseTo(87, 0);
  expect(position(3060)).toBeCloseTo(100, 9);
});

test("a single phase fills the width, also without any step", () => {
  const { position } = stepAxis([{ name: "rl", start: 10, steps: 40 }], frame);
  expect([position(10), position(30), position(50)]).toEqual([0, 50, 100]);
  expect(stepAxis([{ name: "rl", start: 0, steps: 0 }], frame).position(1)).toBe(100);
});
