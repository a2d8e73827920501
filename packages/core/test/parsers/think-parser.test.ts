import fc from "fast-check";
import { expect, test } from "vitest";

import { assistant, thinkParser } from "../../src/index.ts";

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
] as const)("of %j the strict answer is %j and the lenient one %j", ([text, first, second]) => {
  expect(strict.parse(text)).toBe(first);
  expect(lenient.parse(text)).toBe(second);
});

test("the answer is what follows the thoughts, whatever those are", () => {
  const answer = fc.string().filter((text) => !text.includes("</think>"));
  fc.assert(
    fc.property(fc.string(), answer, (thoughts, said) => {
      const text = `<think>${thoughts}</think>${said}`;
      expect(strict.parse(text)).toBe(said.trim());
      expect(lenient.parse(text)).toBe(said.trim());
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
] as const)("the format score of %j is %d", ([text, expected]) => {
  expect(strict.formatScore([assistant(text)])).toBe(expected);
  expect(lenient.formatScore([assistant(text)])).toBe(expected);
});
