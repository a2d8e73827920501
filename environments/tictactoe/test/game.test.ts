import fc from "fast-check";
import { expect, test } from "vitest";

import { emptyBoard, freeCells, type Mark, otherMark, outcome, place } from "../src/game.ts";

const anyGame = fc.record({
  starter: fc.constantFrom<Mark>("X", "O"),
  order: fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6, 7, 8], { minLength: 9 }),
});

/** Every board of a game that takes the cells in `order` until it ends. */
function boardsOf(starter: Mark, order: readonly number[]): string[] {
  const boards = [emptyBoard];
  let mark = starter;
  for (const cell of order) {
    const board = boards.at(-1)!;
    if (outcome(board) !== "open") break;
    boards.push(place(board, cell, mark));
    mark = otherMark(mark);
  }
  return boards;
}

test("every game ends within nine moves, and only its last board is final", () => {
  fc.assert(
    fc.property(anyGame, ({ starter, order }) => {
      const boards = boardsOf(starter, order);
      const outcomes = boards.map(outcome);
      expect(outcomes.at(-1)).not.toBe("open");
      expect(outcomes.slice(0, -1).every((each) => each === "open")).toBe(true);
    }),
  );
});

test("the winner made the last move", () => {
  fc.assert(
    fc.property(anyGame, ({ starter, order }) => {
      const boards = boardsOf(starter, order);
      const last = boards.length % 2 === 0 ? starter : otherMark(starter);
      expect([last, "draw"]).toContain(outcome(boards.at(-1)!));
    }),
  );
});

test("a move changes one free cell", () => {
  fc.assert(
    fc.property(anyGame, ({ starter, order }) => {
      const boards = boardsOf(starter, order);
      boards.forEach((board, moves) => expect(freeCells(board)).toHaveLength(9 - moves));
    }),
  );
});

test.each([
  "XXX......",
  "...XXX...",
  "......XXX",
  "X..X..X..",
  ".X..X..X.",
  "..X..X..X",
  "X...X...X",
  "..X.X.X..",
])("%s is won by X", (board) => {
  expect(outcome(board)).toBe("X");
  expect(outcome(board.replaceAll("X", "O"))).toBe("O");
});

test("a full board is a draw only without three in a row", () => {
  expect(outcome("XOXXOOOXX")).toBe("draw");
  expect(outcome("XOXOXOOXX")).toBe("X");
});

test("place() throws for an occupied cell and a cell off the board", () => {
  expect(() => place("X........", 0, "O")).toThrow(RangeError);
  expect(() => place(emptyBoard, 9, "X")).toThrow(RangeError);
  expect(() => place(emptyBoard, -1, "X")).toThrow(RangeError);
});
