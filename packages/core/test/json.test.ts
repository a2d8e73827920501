import fc from "fast-check";
import { expect, test } from "vitest";

import { canonicalJson, contentHash, jsonProblem } from "../src/json.ts";

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

test("canonicalJson() does not depend on the order of properties", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(value);
      expect(canonicalJson(turned(value))).toBe(canonicalJson(value));
    }),
  );
});

test("contentHash() differs between values and is the same on every machine", () => {
  fc.assert(
    fc.property(json, json, (a, b) => {
      expect(contentHash(a) === contentHash(b)).toBe(canonicalJson(a) === canonicalJson(b));
    }),
  );
  expect(contentHash({ prompt: "Hi.", list: [1, 2] })).toMatchInlineSnapshot(`"f9c71da2ff1347b2"`);
  expect(contentHash("ü\u{1F600}")).toMatchInlineSnapshot(`"ce366baa04fab39a"`);
});

test("jsonProblem() accepts any JSON value", () => {
  fc.assert(fc.property(json, (value) => jsonProblem(value) === undefined));
});

test("jsonProblem() finds a nested value that is not JSON", () => {
  const bad = fc.constantFrom(Number.NaN, Infinity, () => 1, Symbol("s"), 1n, new Date(0), /x/);
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 5 }), bad, (path, value) => {
      const nested = path.reduceRight<unknown>((inner, name) => ({ [name]: [inner] }), value);
      expect(jsonProblem(nested)).toBeTypeOf("string");
    }),
  );
});

test("jsonProblem() accepts undefined properties and rejects undefined items", () => {
  expect(jsonProblem({ a: undefined })).toBeUndefined();
  expect(jsonProblem({ a: [undefined] })).toBe("a[0] is undefined");
});
