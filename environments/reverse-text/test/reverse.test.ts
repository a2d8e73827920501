import fc from "fast-check";
import { expect, test } from "vitest";

import { reverse } from "../src/reverse.ts";

test("reversing twice gives the text back", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      expect(reverse(reverse(text))).toBe(text);
    }),
  );
});

test("characters beyond the basic plane stay whole", () => {
  expect(reverse("café 😀!")).toBe("!😀 éfac");
});
