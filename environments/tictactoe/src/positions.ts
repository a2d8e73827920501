import { type Board, emptyBoard, freeCells, type Mark, otherMark, outcome, place } from "./game.ts";
import type { RandomSource } from "./opponent.ts";

let cached: readonly Board[] | undefined;
let stages: readonly (readonly Board[])[] | undefined;

/** Every unfinished board on which X moves that is reachable by legal moves, with either player starting. */
export function positions(): readonly Board[] {
  return (cached ??= search());
}

/** Draws the number of marks, then a board with that many. A uniform draw would hardly ever give one of the few openings. */
export function drawPosition(random: Pick<RandomSource, "pick">): Board {
  stages ??= [...Map.groupBy(positions(), (board) => freeCells(board).length).values()];
  return random.pick(random.pick(stages));
}

function search(): readonly Board[] {
  const boards = { X: new Set<Board>(), O: new Set<Board>() };
  const visit = (board: Board, mover: Mark): void => {
    if (boards[mover].has(board) || outcome(board) !== "open") return;
    boards[mover].add(board);
    for (const cell of freeCells(board)) visit(place(board, cell, mover), otherMark(mover));
  };
  visit(emptyBoard, "X");
  visit(emptyBoard, "O");
  return [...boards.X];
}
