import { expect, test } from "vitest";
import * as z from "zod";

import {
  assistant,
  boxedParser,
  jsonParser,
  type Parser,
  thinkParser,
  xmlParser,
} from "../src/index.ts";

const megabyte = (piece: string): string => piece.repeat(Math.ceil(2 ** 20 / piece.length));

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
const parsers: Readonly<Record<string, Pick<Parser<unknown>, "parse" | "formatScore">>> = {
  xml,
  verifiers: { parse: xml.parse, formatScore: xml.verifiersFormatScore },
  think: thinkParser(),
  lenient: thinkParser({ lenient: true }),
  boxed: boxedParser(),
  json: jsonParser(z.object({ move: z.string() })),
  anyJson: jsonParser(z.json()),
};

// One mebibyte takes quadratic code hours, so this file would not end. `bench/` measures the ratio of n to 4n.
test.for(Object.keys(parsers))("%s reads a megabyte of anything", (name) => {
  const { parse, formatScore } = parsers[name]!;
  for (const piece of pieces) {
    const text = megabyte(piece);
    parse(`{"x": ${text}`);
    const score = formatScore([assistant(text)]);
    expect(score).toBeGreaterThanOrEqual(0);
    expect(score).toBeLessThanOrEqual(1);
  }
});

test.for(pieces)("what comes after a megabyte of %j is still found", (piece) => {
  const text = megabyte(piece);
  expect(xml.parse(`${text}<move>2</move>`).move).toBe("2");
  expect(thinkParser().parse(`${text}</think>2`)).toBe("2");
});
