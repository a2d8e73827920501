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

/** Every board that a game can reach and that is not over, with who moves next. */
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
