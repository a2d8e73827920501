import fc from "fast-check";
import { expect, test } from "vitest";

import { reverse } from "../src/reverse.ts";

test("reverse() is its own inverse", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(reverse(reverse(text))).toBe(text);
    }),
  );
});

test("reverse() does not split surrogate pairs", () => {
  expect(reverse("café 😀!")).toBe("!😀 éfac");
});
