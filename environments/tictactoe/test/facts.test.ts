import { expect, test } from "vitest";

import { factsOf, writeFacts } from "../src/facts.ts";
import { emptyBoard, freeCells } from "../src/game.ts";
import { openBoards } from "./boards.ts";

/** Another definition of the winning rows: three cells are in a row if their numbers add up to 15. */
const magic = [2, 7, 6, 9, 5, 1, 4, 3, 8];

/** The mark on the cell that is in a row with `first` and `second`. */
function third(board: string, first: number, second: number): string | undefined {
  const cell = magic.indexOf(15 - magic[first]! - magic[second]!);
  return cell === first || cell === second ? undefined : board[cell];
}

test.each([
  [emptyBoard, "win: none; block: none; fork: none; trap: none"],
  ["XX..OO...", "win: 2; block: 3; fork: none; trap: 2"],
  ["X...O...X", "win: none; block: none; fork: 2, 6; trap: none"],
  ["O...X...O", "win: none; block: none; fork: none; trap: 2, 6"],
  ["O.XX.OXO.", "win: 4; block: none; fork: none; trap: 4"],
  ["OO.XX.O..", "win: 5; block: 2; fork: none; trap: none"],
])("factsOf(%s) finds: %s", (board, text) => {
  expect(writeFacts(factsOf(board))).toBe(text);
});

test("finds the same facts as a magic square, on every board", () => {
  for (const { board, mover } of openBoards()) {
    if (mover !== "X") continue;
    const free = freeCells(board);
    const marked = (mark: string): number[] =>
      [0, 1, 2, 3, 4, 5, 6, 7, 8].filter((cell) => board[cell] === mark);
    const completing = (mark: string): number[] =>
      free.filter((cell) => marked(mark).some((other) => third(board, cell, other) === mark));
    const forking = (mark: string): number[] =>
      free.filter(
        (cell) => marked(mark).filter((other) => third(board, cell, other) === ".").length >= 2,
      );
    expect(factsOf(board)).toEqual({
      win: completing("X"),
      block: completing("O"),
      fork: forking("X"),
      trap: forking("O"),
    });
  }
});
