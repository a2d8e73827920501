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

/** Reads what `board` returned. Throws a `RolloutError` for other values than a grid of at most 64 × 64 squares. */
export function readBoard(value: unknown): Board {
  const board = value as Partial<Board> | null | undefined;
  if (typeof board !== "object" || typeof board?.label !== "string" || !Array.isArray(board.rows))
    throw notBoard("no object with a label and rows");
  const rows: readonly unknown[] = board.rows;
  if (rows.length === 0 || rows.length > maxSide) throw notBoard(`${rows.length} rows`);
  return { label: board.label, rows: rows.map(readRow) };
}

function readRow(row: unknown): readonly BoardCell[] {
  if (!Array.isArray(row)) throw notBoard("a row that is not a list");
  if (row.length > maxSide) throw notBoard(`a row of ${row.length} squares`);
  return row.map((cell: unknown) => {
    if (!isCell(cell)) throw notBoard(`the square ${JSON.stringify(cell) ?? typeof cell}`);
    const { text, label, reply, isHighlighted } = cell;
    return {
      text,
      label,
      ...(reply === undefined ? {} : { reply }),
      ...(isHighlighted === true ? { isHighlighted } : {}),
    };
  });
}

function isCell(value: unknown): value is BoardCell {
  if (typeof value !== "object" || value === null) return false;
  const { text, label, reply } = value as Readonly<Record<string, unknown>>;
  return (
    typeof text === "string" &&
    typeof label === "string" &&
    (reply === undefined || typeof reply === "string")
  );
}

function notBoard(actual: string): RolloutError {
  return new RolloutError(
    "environment",
    `board returned ${actual}. It must return { label, rows } with 1 to ${maxSide} rows of at most ${maxSide} squares, each { text, label }.`,
  );
}
