import {
  type Board,
  emptyBoard,
  freeCells,
  type Mark,
  otherMark,
  outcome,
  place,
} from "../src/game.ts";

export interface OpenBoard {
  readonly board: Board;
  readonly mover: Mark;
}

/** Every reachable unfinished board with the player to move. */
export function openBoards(): OpenBoard[] {
  const found = new Map<string, OpenBoard>();
  const walk = (board: Board, mover: Mark): void => {
    const key = mover + board;
    if (found.has(key) || outcome(board) !== "open") return;
    found.set(key, { board, mover });
    for (const cell of freeCells(board)) walk(place(board, cell, mover), otherMark(mover));
  };
  walk(emptyBoard, "X");
  walk(emptyBoard, "O");
  return [...found.values()];
}
