import fc from "fast-check";
import { expect, test } from "vitest";

import { assistantMessage, boxedParser } from "../../src/index.ts";

const { parse, formatScore, format } = boxedParser();

test.for([
  ["\\boxed{5}", "5"],
  ["so \\boxed{ 5 } it is", "5"],
  ["\\boxed{1} no, \\boxed{2}", "2"],
  ["\\boxed{\\frac{1}{2}}", "\\frac{1}{2}"],
  ["\\boxed{x = \\boxed{5}}", "5"],
  ["\\boxed{\\boxed{5} = x}", "5"],
  ["\\boxed{a}\\boxed{b", "a"],
  ["\\boxed{a \\boxed{b}", "b"],
  ["\\boxed{}", ""],
  ["\\boxed{\\{1, 2\\}}", "\\{1, 2\\}"],
  ["\\boxed{\\left\\{ x \\right.}", "\\left\\{ x \\right."],
  ["\\\\\\boxed{5}", "5"],
  ["} } \\boxed{5} {", "5"],
  ["{ \\boxed{5}", "5"],
  ["\\boxed{5", undefined],
  ["\\boxed 5", undefined],
  ["boxed{5}", undefined],
  ["\\fbox{5}", undefined],
  ["{5}", undefined],
  ["", undefined],
  ["\\", undefined],
] as const)("the box of %j holds %j", ([text, expected]) => {
  expect(parse(text)).toBe(expected);
  expect(formatScore([assistantMessage(text)])).toBe(expected === undefined ? 0 : 1);
});

/** LaTeX with balanced braces and without a box. */
const { latex } = fc.letrec<{ latex: string }>((tie) => ({
  latex: fc.oneof(
    fc.constantFrom("x", "1", " ", "\\alpha", "\\{", "\\}", "\\\\", "+"),
    fc.tuple(tie("latex"), tie("latex")).map((parts) => parts.join("")),
    tie("latex").map((inner) => `{${inner}}`),
    tie("latex").map((inner) => `\\sqrt{${inner}}`),
  ),
}));

test("reads any balanced text from a box", () => {
  fc.assert(
    fc.property(latex, latex, latex, (before, inner, after) => {
      expect(parse(`${before} \\boxed{${inner}} ${after}`)).toBe(inner.trim());
    }),
  );
});

test("describes its format for a prompt", () => {
  expect(format).toBe("\\boxed{...}");
});
