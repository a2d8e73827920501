import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";

import { manifestLimits } from "../src/manifest-limits.ts";
import { environmentManifest, readManifest } from "../src/manifest.ts";
import { validManifest } from "./valid-manifest.ts";

const encoder = new TextEncoder();
const read = (value: unknown) => readManifest(encoder.encode(JSON.stringify(value)));
const problemOf = (value: unknown): string => read(value).problem ?? "";
const withFields = (fields: object) => ({ ...validManifest, ...fields });

describe("a valid manifest", () => {
  test("survives a round trip through JSON", () => {
    expect(read(validManifest)).toEqual({ manifest: validManifest });
  });

  test("may omit title, description, opponent and the example's policy", () => {
    const { title: _, description: __, opponent: ___, ...required } = validManifest;
    const [first] = validManifest.example.messages;
    const minimal = {
      ...required,
      example: { messages: [first] },
      tools: [],
      policies: [],
      tags: [],
    };
    expect(read(minimal)).toEqual({ manifest: minimal });
  });

  test("has a JSON Schema", () => {
    const schema = z.toJSONSchema(environmentManifest, { io: "input" });
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    expect(schema.required).toContain("contentHash");
  });
});

describe("reading returns a problem for", () => {
  test.each<[string, object, RegExp]>([
    [
      "another version of the format",
      { schema: 2 },
      /must be 1, the version of the format\s.*schema/,
    ],
    ["an unknown field", { extra: 1 }, /Unrecognized key: "extra"/],
    ["a name that is not kebab-case", { name: "Guess" }, /kebab-case\s.*name/],
    ["a package's name with a path in it", { package: { name: "../x", version: "1.0.0" } }, /name/],
    ["an invalid version", { package: { name: "x", version: "latest" } }, /such as 1\.2\.3/],
    ["an invalid kind", { kind: "game" }, /single-turn/],
    [
      "a name with a terminal escape",
      { tags: ["\u001B]0;x\u0007"] },
      /control characters\s.*tags\[0\]/,
    ],
    ["a name of two lines", { policies: ["one\u2028two"] }, /one line/],
    ["a description with a terminal escape", { description: "\u001B[2J" }, /control characters/],
    [
      "two scores with the same name",
      { scores: [score("a"), score("a")] },
      /duplicate entry\s.*scores/,
    ],
    ["a weight that is not a number", { scores: [{ ...score("a"), weight: null }] }, /weight/],
    [
      "a range whose minimum is above its maximum",
      { scores: [{ ...score("a"), range: [1, 0] }] },
      /greater/,
    ],
    ["two unnamed splits", { splits: [split(null), split(null)] }, /duplicate/],
    ["an empty list of splits", { splits: [] }, /splits/],
    ["a negative size", { splits: [{ name: "eval", size: -1 }] }, /size/],
    ["a config that is not an object", { config: { type: "string" } }, /must be object/],
    [
      "a reference to another document",
      { config: configWithReference("https://example.com/a.json") },
      /\$ref/,
    ],
    [
      "a message with an unknown role",
      { example: { messages: [{ role: "admin", content: "" }] } },
      /role/,
    ],
    ["an empty conversation", { example: { messages: [] } }, /messages/],
    ["an unknown runtime", { runtimes: ["deno"] }, /runtimes/],
    ["a hash of another algorithm", { contentHash: "md5-0" }, /not a content hash/],
  ])("%s", (_, fields, message) => {
    expect(problemOf(withFields(fields))).toMatch(message);
  });

  test.for(["", "{", "null", "[]", "1", '"text"'])("%j", (text) => {
    expect(readManifest(encoder.encode(text)).problem).toMatch(/not JSON|expected object/);
  });

  test("bytes that are not UTF-8", () => {
    expect(readManifest(Uint8Array.of(0x22, 0xff, 0x22)).problem).toMatch(/UTF-8/);
  });

  test("an empty object, with at most ten issues", () => {
    expect(problemOf({})).toMatch(/and \d+ more$/);
  });
});

describe("reading rejects a hostile manifest with", () => {
  const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const message = { role: "user", content: "" };
  const long = "x".repeat(manifestLimits.messageLength + 1);

  test("too many bytes", () => {
    expect(readManifest(new Uint8Array(manifestLimits.bytes + 1)).problem).toBe(
      "It has 1048577 bytes. A manifest may have at most 1048576.",
    );
  });

  test.each([
    ["nested lists", nested(500_000)],
    ["nested objects", `${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}`],
    [
      "nesting in the config",
      JSON.stringify(validManifest).replace('"minimum":1', `"x":${nested(100_000)}`),
    ],
  ])("%s", (_, text) => {
    expect(readManifest(encoder.encode(text)).problem).toMatch(/more than 64 levels/);
  });

  test("half a million invalid entries", () => {
    const text = `{"tags":[${"1,".repeat(500_000)}1]}`;
    expect(readManifest(encoder.encode(text)).problem).toMatch(/more than 20000 values/);
  });

  test.each([
    ["NUL", "\u0000"],
    ["an unpaired surrogate", "\uD800"],
  ])("%s, which PostgreSQL cannot store, in a text or a property name", (_, character) => {
    const messages = [{ role: "user", content: `a${character}` }];
    expect(problemOf(withFields({ example: { messages } }))).toMatch(/NUL|surrogate/);
    const config = { type: "object", properties: { [character]: {} } };
    expect(problemOf(withFields({ config }))).toMatch(/property name with/);
  });

  test("a property named __proto__", () => {
    const text = JSON.stringify(validManifest).replace('"nested":', '"__proto__":');
    expect(readManifest(encoder.encode(text)).problem).toMatch(/named __proto__/);
  });

  test.each<[string, object]>([
    ["description", { description: "x".repeat(2001) }],
    ["title", { title: "x".repeat(201) }],
    ["name", { name: "x".repeat(65) }],
    ["tag", { tags: ["x".repeat(65)] }],
    ["list of tags", { tags: Array.from({ length: 65 }, String) }],
    ["message", { example: { messages: [{ role: "user", content: long }] } }],
    ["conversation", { example: { messages: Array.from({ length: 65 }, () => message) } }],
    ["list of scores", { scores: Array.from({ length: 257 }, (_, index) => score(`${index}`)) }],
    ["version", { core: `1.0.0-${"x".repeat(300)}` }],
  ])("a %s above its maximum length", (_, fields) => {
    expect(problemOf(withFields(fields))).toMatch(/Too big/);
  });

  test("reading returns either a manifest or a problem for any field value", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 8 }),
        fc.constantFrom(...Object.keys(validManifest)),
        (value, part) => {
          const { manifest, problem } = read(withFields({ [part]: value }));
          expect(manifest === undefined).toBe(problem !== undefined);
        },
      ),
    );
  });
});

function score(name: string) {
  return { name, weight: 1, isGroup: false };
}

function split(name: string | null) {
  return { name, size: 1 };
}

function configWithReference(to: string) {
  return { type: "object", properties: { a: { items: [{ $ref: to }] } } };
}
