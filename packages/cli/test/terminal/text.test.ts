import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { clean, cleanJson } from "../../src/terminal/text.ts";

describe("clean", () => {
  test("removes direction marks, and control characters except line breaks", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 80 }), (text) => {
        expect(clean(text)).not.toMatch(/[^\P{Cc}\n]|[\u202A-\u202E\u2066-\u2069]/u);
      }),
    );
  });

  test("makes escape sequences visible", () => {
    expect(clean("a\u001B[2Jb\r\nc\td\u202Ee")).toBe("a␛[2Jb\nc    d\uFFFDe");
  });
});

describe("cleanJson", () => {
  test("cleans every string and property name of any JSON value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: "binary" }), (value) => {
        for (const text of stringsIn(cleanJson(value)))
          expect(text).not.toMatch(/[^\P{Cc}\n]|[\u202A-\u202E\u2066-\u2069]/u);
      }),
    );
  });

  test("keeps the structure of a value", () => {
    expect(cleanJson({ a: ["\u001B[2J"] })).toEqual({ a: ["␛[2J"] });
  });
});

/** Every string and property name in a JSON value. */
function stringsIn(value: unknown): readonly string[] {
  const strings: string[] = [];
  JSON.stringify(value, (name, property: unknown) => {
    strings.push(name);
    if (typeof property === "string") strings.push(property);
    return property;
  });
  return strings;
}
