import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { expect, test } from "vitest";

import { cut, type Pieces } from "../../src/tokenizer/pieces.ts";

test("the pieces of a text are the text", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(fc.constantFrom(" ", "\n", "<", ">", "/", "a", "1", ".", "\t", "<b>"))
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, fc.constantFrom<Pieces[]>("lines", "words"), (whole, pieces) => {
      const parts = cut(whole.toWellFormed(), pieces);
      expect(parts.join("")).toBe(whole.toWellFormed());
      expect(parts).not.toContain("");
    }),
    { numRuns: cases(500) },
  );
});

test("lines end with their newline, and with the blank lines and rulers below them", () => {
  expect(cut("a | b\n\nc\n---\nd", "lines")).toEqual(["a | b\n\n", "c\n---\n", "d"]);
});

test("words keep the space before them, digits stand alone, tags are whole", () => {
  const pieces = "It| is| |4|2|:| |<move>|7|</move>|...|\n\n| | a|<|b|</think>".split("|");
  expect(cut(pieces.join(""), "words")).toEqual(pieces);
});
