import { type Board, emptyBoard, freeCells, type Mark, otherMark, outcome, place } from "./game.ts";
import type { Dice } from "./opponent.ts";

let found: readonly Board[] | undefined;
let stages: readonly (readonly Board[])[] | undefined;

/** Every unfinished board on which X moves that is reachable by legal moves, with either player starting. */
export function positions(): readonly Board[] {
  return (found ??= search());
}

/** Draws a position: first how many marks there are, then one of those boards. Else the openings, which are few, would hardly come up. */
export function drawPosition(dice: Pick<Dice, "pick">): Board {
  stages ??= [...Map.groupBy(positions(), (board) => freeCells(board).length).values()];
  return dice.pick(dice.pick(stages));
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
