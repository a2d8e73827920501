import type { Board as Grid, Choice } from "@envs/core";

import { type Board, freeCells, type Mark, outcome, rows } from "./game.ts";
import { writeReply } from "./protocol.ts";

/** A player's legal replies: one for each free cell, each with a thought that states the facts on the board. */
export function legalReplies(board: Board, mark: Mark): readonly Choice[] {
  if (outcome(board) !== "open") return [];
  return freeCells(board).map((cell) => ({
    reply: writeReply(board, cell, mark),
    label: String(cell),
  }));
}

// #region board
const titles = { X: "X has won", O: "O has won", draw: "A draw" } as const;

/** The board as a grid. A free cell plays the choice of its number. */
export function describeBoard(board: Board, player: Mark, next: Mark): Grid {
  const result = outcome(board);
  const won: readonly number[] =
    rows.find((row) => row.every((cell) => board[cell] === result)) ?? [];
  const cells = Array.from(board, (mark, cell) => {
    const place = `row ${Math.floor(cell / 3) + 1}, column ${(cell % 3) + 1}`;
    if (mark !== ".")
      return { text: mark, label: `${place}: ${mark}`, isHighlighted: won.includes(cell) };
    const label = `${place}: free, position ${cell}`;
    if (result !== "open") return { text: "", label };
    return { text: "", label, reply: writeReply(board, cell, player) };
  });
  const title = result === "open" ? `${next} to move` : titles[result];
  return { label: title, rows: [0, 3, 6].map((start) => cells.slice(start, start + 3)) };
}
// #endregion
