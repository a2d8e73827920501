import fc from "fast-check";
import { describe, expect, test } from "vitest";
import * as z from "zod";

import { manifestLimits } from "../src/bounds.ts";
import { environmentManifest } from "../src/manifest.ts";
import { readManifest } from "../src/read-manifest.ts";
import { aManifest } from "./a-manifest.ts";

const encoder = new TextEncoder();
const reading = (value: unknown) => readManifest(encoder.encode(JSON.stringify(value)));
const problemOf = (value: unknown): string => reading(value).problem ?? "";
const withPart = (part: object) => ({ ...aManifest, ...part });

describe("a manifest", () => {
  test("comes through a file as it was", () => {
    expect(reading(aManifest)).toEqual({ manifest: aManifest });
  });

  test("needs no title, description, opponent, or anybody who plays the example", () => {
    const { title: _, description: __, opponent: ___, ...rest } = aManifest;
    const [first] = aManifest.example.messages;
    const least = { ...rest, example: { messages: [first] }, tools: [], policies: [], tags: [] };
    expect(reading(least)).toEqual({ manifest: least });
  });

  test("has a JSON Schema, for readers that are not written in TypeScript", () => {
    const schema = z.toJSONSchema(environmentManifest, { io: "input" });
    expect(schema).toMatchObject({ type: "object", additionalProperties: false });
    expect(schema.required).toContain("contentHash");
  });
});

describe("a file that is no manifest is told what is wrong:", () => {
  test.each<[string, object, RegExp]>([
    [
      "another version of the format",
      { schema: 2 },
      /must be 1, the version of the format\s.*schema/,
    ],
    ["a field that nobody knows", { extra: 1 }, /Unrecognized key: "extra"/],
    ["a name that is not kebab-case", { name: "Guess" }, /kebab-case\s.*name/],
    ["a package's name with a path in it", { package: { name: "../x", version: "1.0.0" } }, /name/],
    ["a version that is none", { package: { name: "x", version: "latest" } }, /such as 1\.2\.3/],
    ["a kind that is none", { kind: "game" }, /single-turn/],
    [
      "a name that a terminal obeys",
      { tags: ["\u001B]0;x\u0007"] },
      /control characters\s.*tags\[0\]/,
    ],
    ["a name of two lines", { policies: ["one\u2028two"] }, /one line/],
    ["a description that a terminal obeys", { description: "\u001B[2J" }, /control characters/],
    ["two scores of one name", { scores: [score("a"), score("a")] }, /twice\s.*scores/],
    ["a weight that is no number", { scores: [{ ...score("a"), weight: null }] }, /weight/],
    ["a range upside down", { scores: [{ ...score("a"), range: [1, 0] }] }, /greater/],
    ["a dataset both divided and not", { splits: [split(null), split(null)] }, /twice/],
    ["no split", { splits: [] }, /splits/],
    ["a size below nothing", { splits: [{ name: "eval", size: -1 }] }, /size/],
    ["a config that is no object", { config: { type: "string" } }, /must be object/],
    ["a schema in another document", { config: refer("https://example.com/a.json") }, /\$ref/],
    ["a message of nobody", { example: { messages: [{ role: "admin", content: "" }] } }, /role/],
    ["no message", { example: { messages: [] } }, /messages/],
    ["a runtime that is none", { runtimes: ["deno"] }, /runtimes/],
    ["a hash of another kind", { contentHash: "md5-0" }, /not a content hash/],
  ])("%s", (_, part, message) => {
    expect(problemOf(withPart(part))).toMatch(message);
  });

  test.for(["", "{", "null", "[]", "1", '"text"'])("%j", (text) => {
    expect(readManifest(encoder.encode(text)).problem).toMatch(/not JSON|expected object/);
  });

  test("bytes that are not UTF-8", () => {
    expect(readManifest(Uint8Array.of(0x22, 0xff, 0x22)).problem).toMatch(/UTF-8/);
  });

  test("ten things at a time", () => {
    expect(problemOf({})).toMatch(/and \d+ more$/);
  });
});

describe("a hostile manifest is refused at once:", () => {
  const nested = (depth: number): string => `${"[".repeat(depth)}${"]".repeat(depth)}`;
  const said = { role: "user", content: "" };
  const long = "x".repeat(manifestLimits.messageLength + 1);

  test("more bytes than a manifest may have", () => {
    expect(readManifest(new Uint8Array(manifestLimits.bytes + 1)).problem).toBe(
      "It has 1048577 bytes; a manifest has at most 1048576.",
    );
  });

  test.each([
    ["nested lists", nested(500_000)],
    ["nested objects", `${'{"a":'.repeat(150_000)}1${"}".repeat(150_000)}`],
    [
      "nesting within the config",
      JSON.stringify(aManifest).replace('"minimum":1', `"x":${nested(100_000)}`),
    ],
  ])("%s", (_, text) => {
    expect(readManifest(encoder.encode(text)).problem).toMatch(/more than 64 levels deep/);
  });

  test("half a million entries that are all wrong", () => {
    const many = `{"tags":[${"1,".repeat(500_000)}1]}`;
    expect(readManifest(encoder.encode(many)).problem).toMatch(/more than 20000 values/);
  });

  test.each([
    ["NUL", "\u0000"],
    ["half of a surrogate pair", "\uD800"],
  ])("%s, which PostgreSQL cannot keep, in text and in names", (_, character) => {
    const messages = [{ role: "user", content: `a${character}` }];
    expect(problemOf(withPart({ example: { messages } }))).toMatch(/NUL|surrogate/);
    const config = { type: "object", properties: { [character]: {} } };
    expect(problemOf(withPart({ config }))).toMatch(/property name with/);
  });

  test("a name that reaches for the prototype", () => {
    const text = JSON.stringify(aManifest).replace('"nested":', '"__proto__":');
    expect(readManifest(encoder.encode(text)).problem).toMatch(/named __proto__/);
  });

  test.each<[string, object]>([
    ["description", { description: "x".repeat(2001) }],
    ["title", { title: "x".repeat(201) }],
    ["name", { name: "x".repeat(65) }],
    ["tag", { tags: ["x".repeat(65)] }],
    ["list of tags", { tags: Array.from({ length: 65 }, String) }],
    ["message", { example: { messages: [{ role: "user", content: long }] } }],
    ["conversation", { example: { messages: Array.from({ length: 65 }, () => said) } }],
    ["list of scores", { scores: Array.from({ length: 257 }, (_, index) => score(`${index}`)) }],
    ["version", { core: `1.0.0-${"x".repeat(300)}` }],
  ])("a %s that is too long", (_, part) => {
    expect(problemOf(withPart(part))).toMatch(/Too big/);
  });

  test("whatever a part of it is, there is a manifest or a problem", () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 8 }),
        fc.constantFrom(...Object.keys(aManifest)),
        (value, part) => {
          const { manifest, problem } = reading(withPart({ [part]: value }));
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

function refer(to: string) {
  return { type: "object", properties: { a: { items: [{ $ref: to }] } } };
}
