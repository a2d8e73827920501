import { expect, test } from "vitest";

import { shapeOf, symmetries, turn } from "../src/symmetry.ts";

test("has eight symmetries, and the first is the identity", () => {
  const images = symmetries.map((symmetry) => turn("XO.......", symmetry));
  expect(images[0]).toBe("XO.......");
  expect(new Set(images).size).toBe(8);
});

test("all images of a board have the same shape", () => {
  for (const symmetry of symmetries)
    expect(shapeOf(turn("XO..X...O", symmetry))).toBe(shapeOf("XO..X...O"));
  expect(shapeOf("XO.......")).not.toBe(shapeOf("X.O......"));
});
