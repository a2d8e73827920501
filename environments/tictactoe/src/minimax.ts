import { type Board, freeCells, type Mark, otherMark, outcome, place } from "./game.ts";

const won = 10;
const values = new Map<string, number>();

/**
 * The minimax value of the board for `mover`, the player to move: positive for a forced win, negative for a forced loss.
 * Each move until the end subtracts one from its size, so that fast wins and slow losses are worth more.
 */
export function value(board: Board, mover: Mark): number {
  const key = mover + board;
  const known = values.get(key);
  if (known !== undefined) return known;
  const computed = compute(board, mover);
  values.set(key, computed);
  return computed;
}

/** All moves with the best minimax value for `mover`. */
export function bestMoves(board: Board, mover: Mark): number[] {
  const moves = freeCells(board).map((cell) => ({ cell, worth: worthOf(board, cell, mover) }));
  const best = Math.max(...moves.map(({ worth }) => worth));
  return moves.filter(({ worth }) => worth === best).map(({ cell }) => cell);
}

function compute(board: Board, mover: Mark): number {
  const result = outcome(board);
  if (result === "draw") return 0;
  if (result !== "open") return result === mover ? won : -won;
  return Math.max(...freeCells(board).map((cell) => worthOf(board, cell, mover)));
}

/** The value for `mover` of taking `cell`, on the same scale. */
export function worthOf(board: Board, cell: number, mover: Mark): number {
  const worth = -value(place(board, cell, mover), otherMark(mover));
  return worth === 0 ? 0 : worth - Math.sign(worth);
}
