import fc from "fast-check";
import { expect, test } from "vitest";
import * as z from "zod";

import { assistantMessage, jsonParser } from "../../src/index.ts";

const move = jsonParser(z.object({ move: z.int() }));
const any = jsonParser(z.json());

test.for([
  ['{"move": 1}', 1],
  [' {"move": 1}\n', 1],
  ['I play {"move": 1}.', 1],
  ['```json\n{"move": 1}\n```', 1],
  ['```\n{"move": 1}\n``` or maybe ```json\n{"move": 2}\n```', 2],
  ['{"move": 1} {"move": "x"}', 1],
  ['{"move": 1} {"other": 2}', 1],
  ['{"move": 1} {"move": 2', 1],
  ['{ not json {"move": 1}', 1],
  ['] } {"move": 1} { [', 1],
  ['it\'s 5" wide: {"move": 1}', 1],
  ['(see [1] and {2}) {"move": 3}', 3],
  ['{"note": "a } in a string", "move": 1}', 1],
  ['{"note": "a \\" quote }", "move": 1}', 1],
  ['{"move": 1, "list": [1, [2, {"x": "]"}]]}', 1],
  ['[answer: {"move": 4}]', 4],
  ['{my answer is {"move": 4}}', 4],
  ['{"move": 1.5}', undefined],
  ["{move: 1}", undefined],
  ["move 1", undefined],
  ["", undefined],
] as const)("in %j the move is %j", ([text, expected]) => {
  expect(move.parse(text)?.move).toBe(expected);
  expect(move.formatScore([assistantMessage(text)])).toBe(expected === undefined ? 0 : 1);
});

test.for([
  ["42", 42],
  ['"text"', "text"],
  ["```json\n42\n```", 42],
  ['The word is:\n```json\n"text"\n```\nDone.', "text"],
  ["```\ntrue\n```", true],
] as const)("reads a plain value as the whole text or in a fence: %j", ([text, expected]) => {
  expect(any.parse(text)).toBe(expected);
});

// Zod leaves out what would be a prototype.
const json = fc
  .jsonValue({ maxDepth: 4 })
  .map((value) => JSON.stringify(value))
  .filter((text) => !text.includes('"__proto__"'))
  .map((text) => JSON.parse(text));
const chatter = fc.constantFrom("", "So: ", "it's 5\" wide ", "} ] ", "(1) ", "```json\n", "\n\n");

test("reads any JSON object between other text", () => {
  fc.assert(
    fc.property(chatter, json, chatter, fc.boolean(), (before, value, after, isPretty) => {
      const text = JSON.stringify({ value }, null, isPretty ? 2 : 0);
      expect(any.parse(`${before}${text}${after}`)).toEqual({ value });
    }),
  );
});

test("reads the last of several objects that match", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.integer()), { maxLength: 6 }), chatter, (moves, between) => {
      const text = moves.map((value) => JSON.stringify({ move: value })).join(between);
      expect(move.parse(text)?.move).toBe(moves.findLast((value) => value !== null));
    }),
  );
});

test("applies defaults and transforms of the schema", () => {
  const parser = jsonParser(
    z.object({ move: z.string().transform(Number), sure: z.boolean().default(true) }),
  );
  expect(parser.parse('{"move": "3"}')).toEqual({ move: 3, sure: true });
});

test("describes the schema for a prompt", () => {
  expect(jsonParser(z.object({ move: z.int().min(0).max(8) })).format).toContain('"maximum":8');
});

test("returns undefined for JSON that is too deep for the schema", () => {
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  expect(any.parse(deep)).toBeUndefined();
});
