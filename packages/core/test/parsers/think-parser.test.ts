import fc from "fast-check";
import { expect, test } from "vitest";

import { assistantMessage, thinkParser } from "../../src/index.ts";

const strict = thinkParser();
const lenient = thinkParser({ lenient: true });

test.for([
  ["<think>a</think>b", "b", "b"],
  ["<think>a</think>\n\n b \n", "b", "b"],
  ["a</think>b", "b", "b"],
  ["<think>a</think>b</think>c", "c", "c"],
  ["<think>a</think>", "", ""],
  ["no thoughts", "", "no thoughts"],
  ["<think>never closed", "", "<think>never closed"],
  ["", "", ""],
] as const)("reads %j as %j, or leniently as %j", ([text, first, second]) => {
  expect(strict.parse(text)).toBe(first);
  expect(lenient.parse(text)).toBe(second);
});

test("reads the text after any thoughts", () => {
  const answer = fc.string().filter((text) => !text.includes("</think>"));
  fc.assert(
    fc.property(fc.string(), answer, (thoughts, reply) => {
      const text = `<think>${thoughts}</think>${reply}`;
      expect(strict.parse(text)).toBe(reply.trim());
      expect(lenient.parse(text)).toBe(reply.trim());
    }),
  );
});

test.for([
  ["<think>a</think>b", 1],
  [" <think>a</think> b ", 1],
  ["<think></think>b", 1],
  ["<think>a</think>", 0],
  ["<think>a</think> \n", 0],
  ["so <think>a</think>b", 0],
  ["a</think>b", 0],
  ["<think>a<think>b</think>c", 0],
  ["<think>a</think>b</think>c", 0],
  ["</think><think>a", 0],
  ["", 0],
] as const)("scores the format of %j with %d", ([text, expected]) => {
  expect(strict.formatScore([assistantMessage(text)])).toBe(expected);
  expect(lenient.formatScore([assistantMessage(text)])).toBe(expected);
});
