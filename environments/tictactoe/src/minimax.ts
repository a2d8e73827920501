import { type Board, freeCells, type Mark, otherMark, outcome, place } from "./game.ts";

const won = 10;
const values = new Map<string, number>();

/**
 * What the board is worth to `mover`, who moves next: positive if they can force a win, negative if they cannot avoid a loss.
 * Each move between now and the end takes one off, so that a fast win and a slow loss are worth more.
 */
export function value(board: Board, mover: Mark): number {
  const key = mover + board;
  const known = values.get(key);
  if (known !== undefined) return known;
  const computed = compute(board, mover);
  values.set(key, computed);
  return computed;
}

/** Every move that is as good for `mover` as any other. */
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

/** What the board is worth to `mover` if it takes `cell`, on the same scale. */
export function worthOf(board: Board, cell: number, mover: Mark): number {
  const worth = -value(place(board, cell, mover), otherMark(mover));
  return worth === 0 ? 0 : worth - Math.sign(worth);
}
