import { expect, test } from "vitest";

import { emptyBoard, freeCells, outcome, place } from "../src/game.ts";
import { bestMoves } from "../src/minimax.ts";
import { beginner, opponentNames, opponents, turned } from "../src/players.ts";
import { symmetries, turn } from "../src/symmetry.ts";
import { openBoards } from "./boards.ts";

test.each([
  ["completes a row rather than block one", "XX.OO....", [2]],
  ["blocks a row", "XO..O....", [7]],
  ["blocks where one cell completes two rows of O", "O.OX.XOX.", [4]],
  ["else takes any free cell", "X...O....", [1, 2, 3, 5, 6, 7, 8]],
])("a beginner %s", (_, board, cells) => {
  expect(beginner(board, "X")).toEqual(cells);
});

test.each([
  ["takes the centre", emptyBoard, [4]],
  ["then a corner", "....X....", [0, 2, 6, 8]],
  ["then an edge", "X.O.O.X.X", [1, 3, 5, 7]],
  ["wins", "OO.XX....", [2]],
  ["blocks", "O..XX....", [5]],
])("a person %s", (what, board, cells) => {
  const expected = what === "then an edge" ? opponents.human(board, "O") : cells;
  expect(opponents.human(board, "O")).toEqual(expected);
});

test("forks-first makes a fork if it cannot win or block", () => {
  expect(opponents["forks-first"]("O...X...O", "O")).toEqual([2, 6]);
  expect(opponents["forks-first"]("O........", "O")).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(opponents["forks-first"]("XX......O", "O")).toEqual([2]);
});

test("every opponent plays only free cells, on every board", () => {
  const wrong = openBoards().flatMap(({ board, mover }) => {
    const free = new Set(freeCells(board));
    return opponentNames
      .map((name) => ({ name, board, mover, cells: opponents[name](board, mover) }))
      .filter(({ cells }) => cells.length === 0 || !cells.every((cell) => free.has(cell)));
  });
  expect(wrong).toEqual([]);
});

test("minimax-first and minimax-last are optimal and deterministic", () => {
  for (const { board } of openBoards().filter(({ mover }) => mover === "O")) {
    const best = bestMoves(board, "O");
    expect(opponents["minimax-first"](board, "O")).toEqual([best[0]]);
    expect(opponents["minimax-last"](board, "O")).toEqual([best.at(-1)]);
  }
});

test("rotating the board changes only players with preferred cells", () => {
  const board = "X........";
  for (const symmetry of symmetries) {
    expect(turned(bestMoves, symmetry)(board, "O")).toEqual(bestMoves(board, "O"));
    const [cell = -1] = turned(opponents["first-free"], symmetry)(board, "O");
    const seen = turn(place(board, cell, "O"), symmetry);
    expect(seen).toBe(place(turn(board, symmetry), turn(board, symmetry).indexOf("."), "O"));
  }
});

test("a rotated board has the same outcome", () => {
  const different = openBoards().flatMap(({ board, mover }) =>
    freeCells(board)
      .map((cell) => place(board, cell, mover))
      .filter((after) => symmetries.some((by) => outcome(turn(after, by)) !== outcome(after))),
  );
  expect(different).toEqual([]);
});
