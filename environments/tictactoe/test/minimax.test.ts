import { expect, test } from "vitest";

import {
  type Board,
  emptyBoard,
  freeCells,
  type Mark,
  otherMark,
  outcome,
  place,
} from "../src/game.ts";
import { bestMoves } from "../src/minimax.ts";
import { type OpenBoard, openBoards } from "./boards.ts";
import { exactOdds } from "./exact.ts";

/** An independent search: the result for `mover` and the number of moves, without memoization. */
function judge(board: Board, mover: Mark): { result: "win" | "draw" | "loss"; moves: number } {
  const now = outcome(board);
  if (now === mover) return { result: "win", moves: 0 };
  if (now === otherMark(mover)) return { result: "loss", moves: 0 };
  if (now === "draw") return { result: "draw", moves: 0 };
  return rank(board, mover)[0]!;
}

function rank(board: Board, mover: Mark) {
  const flipped = { win: "loss", draw: "draw", loss: "win" } as const;
  const order = { win: 0, draw: 1, loss: 2 };
  return freeCells(board)
    .map((cell) => {
      const { result, moves } = judge(place(board, cell, mover), otherMark(mover));
      return { cell, result: flipped[result], moves: moves + 1 };
    })
    .toSorted((left, right) => {
      if (left.result !== right.result) return order[left.result] - order[right.result];
      if (left.result === "draw") return 0;
      return left.result === "win" ? left.moves - right.moves : right.moves - left.moves;
    });
}

test("returns the same best moves as a plain search on every board after three moves", () => {
  for (const { board, mover } of openBoards()) {
    if (freeCells(board).length > 6) continue;
    const ranked = rank(board, mover);
    const { result, moves } = ranked[0]!;
    const best = ranked.filter(
      (each) => each.result === result && (result === "draw" || each.moves === moves),
    );
    expect(bestMoves(board, mover)).toEqual(best.map(({ cell }) => cell).toSorted());
  }
});

test.each<[string, OpenBoard, number[]]>([
  [
    "every opening is as good as any other",
    { board: emptyBoard, mover: "O" },
    [0, 1, 2, 3, 4, 5, 6, 7, 8],
  ],
  ["the only answer to a corner is the centre", { board: "X........", mover: "O" }, [4]],
  ["every corner answers the centre", { board: "....X....", mover: "O" }, [0, 2, 6, 8]],
  ["a win at once is preferred to a fork", { board: "XX.OO....", mover: "X" }, [2]],
  ["both wins at once are equally good", { board: "X.X.O.X.O", mover: "X" }, [1, 3]],
  ["a threat is blocked", { board: "XX..O....", mover: "O" }, [2]],
])("%s", (_, { board, mover }, best) => {
  expect(bestMoves(board, mover)).toEqual(best);
});

test("the optimal player never loses, with either player starting", () => {
  const seen = new Set<string>();
  const walk = (board: Board, mover: Mark, best: Mark): void => {
    const key = best + mover + board;
    if (seen.has(key)) return;
    seen.add(key);
    const result = outcome(board);
    expect(result).not.toBe(otherMark(best));
    if (result !== "open") return;
    const cells = mover === best ? bestMoves(board, mover) : freeCells(board);
    for (const cell of cells) walk(place(board, cell, mover), otherMark(mover), best);
  };
  for (const best of ["X", "O"] as const)
    for (const starter of ["X", "O"] as const) walk(emptyBoard, starter, best);
  expect(seen.size).toBeGreaterThan(1000);
});

test("a losing player chooses the slowest loss", () => {
  // X wins everywhere; only at 4 does it take more than one more move.
  expect(bestMoves("X.O.....X", "O")).toEqual([4]);
  expect(bestMoves("X.X.O.X..", "O")).toEqual([1, 3, 5, 7, 8]);
});

test("optimal play of both players is always a draw", () => {
  const { win, draw, loss } = exactOdds({ X: 0, O: 0 });
  expect([win, loss]).toEqual([0, 0]);
  expect(draw).toBeCloseTo(1, 12);
});

test("two random players have the known probabilities", () => {
  const { win, draw, loss } = exactOdds({ X: 1, O: 1 });
  // Of all random games the first player wins 737/1260, the second 121/420, and 8/63 are drawn.
  expect(draw).toBeCloseTo(8 / 63, 12);
  expect(win).toBeCloseTo((737 / 1260 + 121 / 420) / 2, 12);
  expect(loss).toBeCloseTo(win, 12);
});
