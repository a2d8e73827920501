import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { expect, test } from "vitest";

import { jsonSpans } from "../../src/parsers/json-spans.ts";

const spansOf = (text: string): string[] =>
  jsonSpans(text).map(({ from, to }) => text.slice(from, to));

test.for([
  ["[]", ["[]"]],
  ["{}[]", ["{}", "[]"]],
  ["[[], {}]", ["[[], {}]"]],
  ["[[], {}", ["[]", "{}"]],
  ["[1,]", []],
  ["[,1]", []],
  ['{"a"}', []],
  ['{"a":}', []],
  ['{"a":1,}', []],
  ["{1:2}", []],
  ["[1 2]", []],
  ["[01]", []],
  ["[1.5e-3, -0, true, false, null]", ["[1.5e-3, -0, true, false, null]"]],
  ["[truest]", []],
  ["[x [1] y]", ["[1]"]],
  ["{ {} }", ["{}"]],
  ["[1 [2]]", ["[2]"]],
  ['["]"]', ['["]"]']],
  ['["\\"]"]', ['["\\"]"]']],
  ['["a\nb"] [1]', ["[1]"]],
  ['["never closed [1]', ["[1]"]],
  ["[1}", []],
] as const)("in %j it finds %j", ([text, expected]) => {
  expect(spansOf(text)).toEqual(expected);
});

test("returns valid JSON, in order and without overlap, for any text", () => {
  const piece = fc.constantFrom(
    ...'{}[],:"\\ \n1ax-.e'.split(""),
    '"a"',
    "true",
    "null",
    '{"a":',
    "[[",
    "]]",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const text = pieces.join("");
      let end = 0;
      for (const { from, to } of jsonSpans(text)) {
        expect(from).toBeGreaterThanOrEqual(end);
        // An escape that JSON does not have is left to JSON.parse, which rejects it.
        if (!text.includes("\\")) expect(() => JSON.parse(text.slice(from, to))).not.toThrow();
        end = to;
      }
    }),
    { numRuns: cases(2000) },
  );
});

test("returns a whole object or array in any layout", () => {
  const container = fc
    .jsonValue({ maxDepth: 5 })
    .filter((value) => typeof value === "object" && value !== null);
  fc.assert(
    fc.property(container, fc.nat({ max: 3 }), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      expect(spansOf(text)).toEqual([text]);
    }),
  );
});
