import { random } from "@envs/core";
import fc from "fast-check";
import { expect, test } from "vitest";

import { type Board, emptyBoard, freeCells, place } from "../src/game.ts";
import { bestMoves } from "../src/minimax.ts";
import {
  chooseCell,
  openingBoard,
  type Opponent,
  type RandomSource,
  randomMoveProbOf,
} from "../src/opponent.ts";
import { openBoards } from "./boards.ts";
import { moveShares } from "./exact.ts";

/** The board after O's move. */
const replyAsO = (board: Board, opponent: Opponent, source: RandomSource) =>
  place(board, chooseCell(board, opponent, { mark: "O", random: source }), "O");

const perfect = (randomMoveProb: number): Opponent => ({ player: bestMoves, randomMoveProb });

const boardsOfO = openBoards().filter(({ mover }) => mover === "O");

/** The counts of O's cells on a board, over games with the seeds 0, 1, 2, … */
function countAnswers(board: string, randomMoveProb: number, games: number): Map<number, number> {
  const counts = new Map<number, number>();
  for (let seed = 0; seed < games; seed += 1) {
    const after = replyAsO(board, perfect(randomMoveProb), random(seed, board));
    const cell = Array.from(after).findIndex((mark, index) => mark !== board[index]);
    counts.set(cell, (counts.get(cell) ?? 0) + 1);
  }
  return counts;
}

function chiSquare(
  counts: ReadonlyMap<number, number>,
  shares: ReturnType<typeof moveShares>,
): number {
  const games = [...counts.values()].reduce((total, count) => total + count, 0);
  return shares
    .filter(({ share }) => share > 0)
    .reduce((sum, { cell, share }) => {
      const expected = games * share;
      return sum + ((counts.get(cell) ?? 0) - expected) ** 2 / expected;
    }, 0);
}

/** Every cell that O can take, once for each random draw. */
function allAnswers(board: string, randomMoveProb: number): number[] {
  const answers: number[] = [];
  for (let index = 0, ways = 1; index < ways; index += 1) {
    const after = replyAsO(board, perfect(randomMoveProb), {
      next: () => 0.5,
      pick(items) {
        ways = items.length;
        return items[index]!;
      },
    });
    answers.push(Array.from(after).findIndex((mark, cell) => mark !== board[cell]));
  }
  return answers;
}

test("plays all best moves with equal probability and no other move, on every board", () => {
  for (const { board } of boardsOfO) expect(allAnswers(board, 0)).toEqual(bestMoves(board, "O"));
});

test("plays all free cells with equal probability when it moves at random, on every board", () => {
  for (const { board } of boardsOfO) expect(allAnswers(board, 1)).toEqual(freeCells(board));
});

// 8 degrees of freedom at most: chi-square exceeds 26.1 once in a thousand fair experiments.
test.each([emptyBoard, "....X....", "X...O...X", "X........", "XO......."])(
  "the best moves on %s are equally likely",
  (board) => {
    const counts = countAnswers(board, 0, 9000);
    expect(chiSquare(counts, moveShares(board, "O", 0))).toBeLessThan(26.1);
  },
);

test.each([0.3, 1])(
  "plays each cell with its expected probability at randomMoveProb %d",
  (share) => {
    const counts = countAnswers("....X....", share, 9000);
    expect(chiSquare(counts, moveShares("....X....", "O", share))).toBeLessThan(26.1);
  },
);

test("the seed and the board determine the reply", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...boardsOfO),
      fc.nat(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      ({ board }, seed, share) => {
        const answers = [1, 2].map(() => replyAsO(board, perfect(share), random(seed, board)));
        expect(answers[0]).toBe(answers[1]);
      },
    ),
  );
});

test("X and O each start half of the games", () => {
  const openings = Array.from({ length: 4000 }, (_, seed) =>
    openingBoard(perfect(0.5), { start: random(seed), reply: random(seed, emptyBoard) }),
  );
  const startedByX = openings.filter((board) => board === emptyBoard).length;
  // Three standard deviations of 4000 coins.
  expect(Math.abs(startedByX - 2000)).toBeLessThan(95);
  expect(openings.every((board) => freeCells(board).length >= 8)).toBe(true);
});

test("an example's randomMoveProb is in its part of the range", () => {
  fc.assert(
    fc.property(
      fc.nat(5000),
      fc.integer({ min: 1, max: 64 }),
      fc.tuple(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
      ),
      (index, numGroups, ends) => {
        const [low, high] = ends.toSorted((left, right) => left - right) as [number, number];
        const range = { minRandomMoveProb: low, maxRandomMoveProb: high, numGroups };
        const share = randomMoveProbOf(index, range, random(index));
        const part = index % numGroups;
        const width = (high - low) / numGroups;
        expect(share).toBeGreaterThanOrEqual(low + part * width - 1e-12);
        expect(share).toBeLessThanOrEqual(low + (part + 1) * width + 1e-12);
      },
    ),
  );
});

test("a batch of numGroups examples spans all parts of the range", () => {
  const range = { minRandomMoveProb: 0.2, maxRandomMoveProb: 0.7, numGroups: 32 };
  const shares = Array.from({ length: 32 }, (_, index) =>
    randomMoveProbOf(index + 320, range, random(index)),
  );
  const parts = new Set(shares.map((share) => Math.floor(((share - 0.2) / 0.5) * 32)));
  expect(parts.size).toBe(32);
});
