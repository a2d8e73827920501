import fc from "fast-check";
import { expect, test } from "vitest";

import { factNames, factsOf, readFacts, writeFacts } from "../src/facts.ts";
import { countFacts, someWinJudged, judgeMove, speedOf } from "../src/review.ts";
import { openBoards } from "./boards.ts";

const boardsOfX = openBoards().flatMap(({ board, mover }) => (mover === "X" ? [board] : []));

test("reads written facts back, and counts them as true", () => {
  for (const board of boardsOfX) {
    const think = writeFacts(factsOf(board));
    const read = readFacts(think);
    for (const name of factNames) expect(read.get(name)).toEqual([factsOf(board)[name]]);
    expect(countFacts([{ board, think, cell: undefined }])).toEqual({
      possible: 4,
      stated: 4,
      right: 4,
    });
  }
});

test.each([
  ["Win 6 BLOCK=2,8", { win: [[6]], block: [[2, 8]] }],
  ["win:none,fork: 1 3", { win: [[]], fork: [[1, 3]] }],
  ["win: 6; win: none", { win: [[6], []] }],
  ["It is a trap: 8!", { trap: [[8]] }],
  ["winning is hard; block: 9; fork:", {}],
  ["win: 12", {}],
])("%j states %j", (text, facts) => {
  expect(Object.fromEntries(readFacts(text))).toEqual(facts);
});

test.each([
  ["win: 2; block: 3; fork: none; trap: 2", 4, 4],
  ["win: 2; block: 3; fork: none", 3, 3],
  ["trap: 7", 1, 0],
  ["block: 3", 1, 1],
  ["win: 2, 5; block: none", 2, 0],
  ["win: 2; win: none", 1, 0],
  ["I take it.", 0, 0],
  [undefined, 0, 0],
])("on XX.OO.... the thought %j states %i facts, %i of them truly", (think, stated, right) => {
  const counted = countFacts([{ board: "XX..OO...", think, cell: undefined }]);
  expect(counted).toEqual({ possible: 4, stated, right });
});

test("accepts any text and reads only cell numbers", () => {
  const piece = fc.constantFrom(
    "win",
    "block",
    "fork",
    "trap",
    ":",
    " ",
    ",",
    "none",
    "1",
    "8",
    "9",
    ";",
    "=",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      for (const statements of readFacts(pieces.join("")).values())
        for (const cell of statements.flat()) expect([1, 8]).toContain(cell);
    }),
  );
});

test.each([
  ["a win at once is the shortest", "XX.OO....", 2, "shortest"],
  ["not to take it is to miss it", "XX.OO....", 8, "missed"],
  ["to leave two wins for later is a detour", "XOXOXO...", 7, "slow"],
  ["the empty board does not have a forced win", ".........", 0, "none"],
])("%s", (_, board, cell, judged) => {
  expect(judgeMove(board, cell)).toBe(judged);
});

test("a game without a forced win and an invalid move do not count as missed", () => {
  const won = { board: "XX.OO....", think: undefined };
  expect(someWinJudged([{ ...won, cell: undefined }], "missed")).toBeNull();
  expect(someWinJudged([{ ...won, cell: 8 }], "missed")).toBe(1);
  expect(someWinJudged([{ ...won, cell: 8 }], "slow")).toBe(0);
  expect(someWinJudged([{ ...won, cell: 2 }], "missed")).toBe(0);
});

test.each([
  ["XXXOO....", 1],
  ["XXXOO.O..", 0.75],
  ["XXXOOXOXO", 0],
  ["OOOXX.X..", 0],
])("speedOf(%s) is %d", (board, speed) => {
  expect(speedOf(board)).toBe(speed);
});
