import { cases } from "@envs/tooling/cases";
import { expect, test } from "vitest";
import * as z from "zod";

import {
  assistantMessage,
  boxedParser,
  jsonParser,
  thinkParser,
  xmlParser,
} from "../../src/index.ts";

/** Half a mebibyte in `pnpm test:slow`, a tenth of it in `pnpm test`. */
const longText = (piece: string): string => piece.repeat(Math.ceil(cases(2 ** 19) / piece.length));

const pieces = [
  "<think>",
  "</think>",
  "<think></think>",
  "</think><think>",
  "<move>1</move>",
  "<think><move>",
  "<",
  "{",
  "}",
  "{}",
  "[",
  "[]",
  "{[",
  "]}",
  '"',
  '{"',
  '{"a":',
  '{"a":1}',
  "{x}",
  "[[x]]",
  "\\",
  '\\"',
  "\\boxed{",
  "\\boxed{}",
  "```",
  "```json\n",
  "```json\n{\n```\n",
  "\n",
  " ",
  "a",
];

const xml = xmlParser("think?", "move", ["answer", "result"]);
const think = thinkParser();
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  "xmlParser's parse": xml.parse,
  "xmlParser's formatScore": (text) => xml.formatScore([assistantMessage(text)]),
  "xmlParser's verifiersFormatScore": (text) => xml.verifiersFormatScore([assistantMessage(text)]),
  "thinkParser's parse": think.parse,
  "thinkParser's formatScore": (text) => think.formatScore([assistantMessage(text)]),
  "boxedParser's parse": boxedParser().parse,
  "jsonParser's parse": jsonParser(z.object({ move: z.string() })).parse,
};

// Quadratic code takes minutes to hours for these texts. `bench/` measures the ratio of n to 4n.
test.for(Object.keys(readers))("%s reads a long text of any piece", (name) => {
  const results = pieces.map((piece) => readers[name]!(longText(piece)));
  expect(results).toHaveLength(pieces.length);
});

test("reads brackets without an end in linear time", () => {
  const any = jsonParser(z.json());
  for (const piece of ["[", '{"a":', '["', "[{"])
    expect(any.parse(longText(piece))).toBeUndefined();
  expect(any.parse(`${longText("[")}1${longText("]")}`)).toBeUndefined();
});

test.for(pieces)("reads the text after a long text of %j", (piece) => {
  const text = longText(piece);
  expect(xml.parse(`${text}<move>2</move>`).move).toBe("2");
  expect(think.parse(`${text}</think>2`)).toBe("2");
});
