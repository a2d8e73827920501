import * as fc from "fast-check";
import { expect, test } from "vitest";

import { fold, slug } from "../src/fold.ts";

const word = fc.string({ unit: "grapheme", maxLength: 40 });

test.each([
  ["Łódź", "lodz"],
  ["Île-de-France", "ile-de-france"],
  ["Tromsø", "tromso"],
  ["Đà Nẵng", "da nang"],
  ["Straße", "strasse"],
  ["İzmir", "izmir"],
  ["Diyarbakır", "diyarbakir"],
])("fold(%j) returns %j", (text, folded) => {
  expect(fold(text)).toBe(folded);
});

test.each([
  ["Saint-Étienne", "saint-etienne"],
  ["Washington, D.C.", "washington-d-c"],
  ["N’Djaména", "ndjamena"],
  ["Springfield (Illinois, United States)", "springfield-illinois-united-states"],
  ["...", ""],
])("slug(%j) returns %j", (text, expected) => {
  expect(slug(text)).toBe(expected);
});

test("slug() is idempotent", () => {
  fc.assert(
    fc.property(word, (text) => {
      expect(slug(slug(text))).toBe(slug(text));
    }),
  );
});

test("slug() removes spaces, brackets and capital letters", () => {
  fc.assert(
    fc.property(word, (text) => {
      expect(slug(text)).not.toMatch(/[\s()[\]A-Z]/);
    }),
  );
});
