import fc from "fast-check";
import { expect, test } from "vitest";

import { canonicalJson, contentHash, notJson } from "../src/json.ts";

/** The same value with the properties of every object in another order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, turned(inner)]),
  );
}

const json = fc.jsonValue().map((value): unknown => JSON.parse(JSON.stringify(value)));

test("canonical JSON is JSON that does not depend on the order of properties", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(value);
      expect(canonicalJson(turned(value))).toBe(canonicalJson(value));
    }),
  );
});

test("a hash tells values apart, and is the same on every machine", () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(contentHash(a) === contentHash(b)).toBe(canonicalJson(a) === canonicalJson(b));
    }),
  );
  expect(contentHash({ prompt: "Hi.", list: [1, 2] })).toMatchInlineSnapshot(`"f9c71da2ff1347b2"`);
  expect(contentHash("ü\u{1F600}")).toMatchInlineSnapshot(`"ce366baa04fab39a"`);
});

test("any JSON value is JSON", () => {
  fc.assert(fc.property(json, (value) => notJson(value) === undefined));
});

test("what is not JSON anywhere in a value is found", () => {
  const bad = fc.constantFrom(Number.NaN, Infinity, () => 1, Symbol("s"), 1n, new Date(0), /x/);
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 5 }), bad, (path, value) => {
      const nested = path.reduceRight<unknown>((inner, name) => ({ [name]: [inner] }), value);
      expect(notJson(nested)).toBeTypeOf("string");
    }),
  );
});

test("undefined is left out of objects, and is not JSON in lists", () => {
  expect(notJson({ a: undefined })).toBeUndefined();
  expect(notJson({ a: [undefined] })).toBe("a[0] is undefined");
});
