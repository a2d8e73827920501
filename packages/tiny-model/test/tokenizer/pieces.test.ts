import { cases } from "@envs/tooling/cases";
import fc from "fast-check";
import { expect, test } from "vitest";

import { type Pieces, splitPieces } from "../../src/tokenizer/pieces.ts";

test("the concatenated pieces of a text are the text", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc
      .array(fc.constantFrom(" ", "\n", "<", ">", "/", "a", "1", ".", "\t", "<b>"))
      .map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, fc.constantFrom<Pieces[]>("lines", "words", "clauses"), (whole, pieces) => {
      const parts = splitPieces(whole.toWellFormed(), pieces);
      expect(parts.join("")).toBe(whole.toWellFormed());
      expect(parts).not.toContain("");
    }),
    { numRuns: cases(500) },
  );
});

test("lines end with their newline, and with the blank lines and rulers below them", () => {
  expect(splitPieces("a | b\n\nc\n---\nd", "lines")).toEqual(["a | b\n\n", "c\n---\n", "d"]);
});

test("clauses end with their punctuation, or with their line and the rulers below it", () => {
  const pieces = "0 | X\n---\n#Free cells:# 1,# 2\n#Now play.# Good luck!#<move>1</move>".split(
    "#",
  );
  expect(splitPieces(pieces.join(""), "clauses")).toEqual(pieces);
});

test("words include the space before them, digits are separate, tags are whole", () => {
  const pieces = "It| is| |4|2|:| |<move>|7|</move>|...|\n\n| | a|<|b|</think>".split("|");
  expect(splitPieces(pieces.join(""), "words")).toEqual(pieces);
});
