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

/** The probabilities of X's results; they add up to 1. */
export interface Odds {
  readonly win: number;
  readonly draw: number;
  readonly loss: number;
}

/** The probability of a random move. */
export interface Skills {
  readonly X: number;
  readonly O: number;
}

/** The probability of each cell. */
export type Shares = (board: Board) => readonly { readonly cell: number; readonly share: number }[];

/** The exact probabilities of X when a coin decides who starts. */
export function exactOdds(skills: Skills): Odds {
  return oddsOf({
    X: (board) => moveShares(board, "X", skills.X),
    O: (board) => moveShares(board, "O", skills.O),
  });
}

/** The exact probabilities of two players whose moves depend only on the board. */
export function oddsOf(players: Readonly<Record<Mark, Shares>>): Odds {
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
      players[mover](board).map(({ cell, share }) => ({
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

/** The probability of each cell for a player that moves randomly with a given probability, else perfectly. */
export function moveShares(
  board: Board,
  mover: Mark,
  randomMoveProb: number,
): { cell: number; share: number }[] {
  return sharesOf(board, bestMoves(board, mover), randomMoveProb);
}

/** The probability of each cell for a player that chooses any free cell with a given probability, else one of `cells`. */
export function sharesOf(
  board: Board,
  cells: readonly number[],
  randomMoveProb: number,
): { cell: number; share: number }[] {
  const free = freeCells(board);
  return free.map((cell) => ({
    cell,
    share:
      randomMoveProb / free.length +
      (cells.includes(cell) ? (1 - randomMoveProb) / cells.length : 0),
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
