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

/** How a game ends for X: three probabilities that add up to 1. */
export interface Odds {
  readonly win: number;
  readonly draw: number;
  readonly loss: number;
}

/** How often a player moves at random instead of well. */
export interface Skills {
  readonly X: number;
  readonly O: number;
}

/** The exact odds of X when a coin decides who starts. */
export function exactOdds(skills: Skills): Odds {
  const known = new Map<string, Odds>();

  const oddsFrom = (board: Board, mover: Mark): Odds => {
    const key = mover + board;
    const odds = known.get(key) ?? lookAhead(board, mover);
    known.set(key, odds);
    return odds;
  };

  const lookAhead = (board: Board, mover: Mark): Odds => {
    const result = outcome(board);
    if (result !== "open") return certain[result];
    return mix(
      moveShares(board, mover, skills[mover]).map(({ cell, share }) => ({
        share,
        odds: oddsFrom(place(board, cell, mover), otherMark(mover)),
      })),
    );
  };

  return mix([
    { share: 0.5, odds: oddsFrom(emptyBoard, "X") },
    { share: 0.5, odds: oddsFrom(emptyBoard, "O") },
  ]);
}

const certain = {
  X: { win: 1, draw: 0, loss: 0 },
  draw: { win: 0, draw: 1, loss: 0 },
  O: { win: 0, draw: 0, loss: 1 },
};

/** How likely each cell is to be taken. */
export function moveShares(
  board: Board,
  mover: Mark,
  randomMoveProb: number,
): { cell: number; share: number }[] {
  const free = freeCells(board);
  const best = bestMoves(board, mover);
  return free.map((cell) => ({
    cell,
    share:
      randomMoveProb / free.length + (best.includes(cell) ? (1 - randomMoveProb) / best.length : 0),
  }));
}

function mix(parts: readonly { readonly share: number; readonly odds: Odds }[]): Odds {
  const sum = (pick: (odds: Odds) => number): number =>
    parts.reduce((total, { share, odds }) => total + share * pick(odds), 0);
  return {
    win: sum(({ win }) => win),
    draw: sum(({ draw }) => draw),
    loss: sum(({ loss }) => loss),
  };
}
