import { stripVTControlCharacters } from "node:util";

import type { Branch } from "@envs/core";
import { expect, test } from "vitest";

import { branchLines } from "../../src/conversation/branches.ts";

const branch: Branch = {
  turn: 1,
  subModel: "small",
  messages: [{ role: "user", content: "Which city?" }],
  message: { role: "assistant", content: "Oslo" },
  finish: "stop",
  usage: { inputTokens: 10, outputTokens: 2 },
  tokens: undefined,
  model: { start: 0, end: 1 },
};
const branches = [branch, { ...branch, messages: [{ role: "user", content: "Who?" }] as const }];

function shown(turn: number | undefined, isWhole: boolean): string {
  const text = branchLines(branches, turn, { columns: 80, isWhole }).join("\n");
  return stripVTControlCharacters(text);
}

test("folds the sub-model calls of a turn to a line, and unfolds them with all messages", () => {
  expect(shown(1, false)).toBe("  ⤷ sub-model small 2 calls, 20 in, 4 out, press a to show");
  expect(shown(1, true)).toBe(
    [
      "  ⤷ sub-model small 2 calls, 20 in, 4 out",
      "    ? Which city?",
      "    = Oslo",
      "    ? Who?",
      "    = Oslo",
    ].join("\n"),
  );
  expect(shown(0, true)).toBe("");
  expect(shown(undefined, true)).toBe("");
});
