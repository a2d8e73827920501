import { expect, test } from "vitest";

import { gameOver, readMove, tryAgain, yourTurn } from "../src/conversation.ts";
import { emptyBoard } from "../src/game.ts";

test("shows the numbers of free cells and lists them", () => {
  expect(yourTurn("X...O....")).toMatchInlineSnapshot(`
    "X | 1 | 2
    ---------
    3 | O | 5
    ---------
    6 | 7 | 8

    Free positions: 1, 2, 3, 5, 6, 7, 8
    It is your turn."
  `);
});

test("shows the result on a finished board", () => {
  expect(gameOver("XXXOO....")).toMatchInlineSnapshot(`
    "X | X | X
    ---------
    O | O | 5
    ---------
    6 | 7 | 8

    You win."
  `);
  expect(gameOver("OOOXX..X.")).toContain("You lose.");
  expect(gameOver("XOXXOOOXX")).toContain("It is a draw.");
});

test("accepts the number of a free cell with surrounding space", () => {
  expect(readMove(emptyBoard, "4")).toEqual({ cell: 4 });
  expect(readMove(emptyBoard, " 0\n")).toEqual({ cell: 0 });
});

test.each([
  [undefined, "no complete pair"],
  ["", "one number"],
  ["centre", "one number"],
  ["4.5", "one number"],
  ["4, 5", "one number"],
  ["9", "no such position"],
  ["-1", "no such position"],
  ["999999999999999999999999", "no such position"],
  ["0", "Position 0 is occupied"],
])("rejects the move %j with the reason", (text, complaint) => {
  expect(readMove("X........", text)).toEqual({ complaint: expect.stringContaining(complaint) });
});

test("shows the board again after an invalid move", () => {
  expect(tryAgain("X........", "Position 0 is occupied.")).toMatchInlineSnapshot(`
    "Invalid move. Position 0 is occupied. Try again.

    X | 1 | 2
    ---------
    3 | 4 | 5
    ---------
    6 | 7 | 8

    Free positions: 1, 2, 3, 4, 5, 6, 7, 8
    It is your turn."
  `);
});
