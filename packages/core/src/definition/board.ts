import * as z from "zod";

import { RolloutError } from "../errors.ts";

/** A square of a board. */
export interface BoardCell {
  /** What the square shows: a few characters, such as `X`. Empty if nothing is on it. */
  readonly text: string;
  /** What a screen reader says, such as `row 1, column 2: free`. */
  readonly label: string;
  /** The reply of the choice that a click on the square plays. */
  readonly reply?: string | undefined;
  /** Marks squares such as a winning row or the last move. */
  readonly isHighlighted?: boolean | undefined;
}

/** A position as a grid. It is data, so that pages and terminals draw it in their own way. */
export interface Board {
  /** What the grid is, such as `The board; you play X`. */
  readonly label: string;
  readonly rows: readonly (readonly BoardCell[])[];
}

/** The maximum number of rows, and of squares in a row. */
const maxSide = 64;

const cell = z.object({
  text: z.string(),
  label: z.string(),
  reply: z.string().optional(),
  isHighlighted: z.literal(true).optional().catch(undefined),
});
const boards = z.object({
  label: z.string(),
  rows: z.array(z.array(cell).max(maxSide)).min(1).max(maxSide),
});

/** Reads what `board` returned. Throws a `RolloutError` for other values than a grid of at most 64 × 64 squares. */
export function readBoard(value: unknown): Board {
  const { data, error } = boards.safeParse(value);
  if (error === undefined) return data;
  throw new RolloutError(
    "environment",
    `board returned a value that is not a board. It must return { label, rows } with 1 to ${maxSide} rows of at most ${maxSide} squares, each { text, label }.\n${z.prettifyError(error)}`,
  );
}
