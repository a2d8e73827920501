import type { Board, Mark } from "./game.ts";
import type { Reply } from "./review.ts";

/** A game in progress. */
export interface Match {
  board: Board;
  /** The player who moves next. */
  next: Mark;
  /** How many replies were not legal, by player. */
  invalidMoves: Record<Mark, number>;
  replies: Record<Mark, readonly Reply[]>;
}

/** Starts the game of an example. */
export function newMatch({ example }: { readonly example: { readonly board: Board } }): Match {
  return {
    board: example.board,
    next: "X",
    invalidMoves: { X: 0, O: 0 },
    replies: { X: [], O: [] },
  };
}
