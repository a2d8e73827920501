export type Mark = "X" | "O";

/** Nine characters, row by row: `X`, `O`, or `.` for a free cell. */
export type Board = string;

/** The player with three in a row; `draw`: the board is full; `open`: the game continues. */
export type Outcome = Mark | "draw" | "open";

const free = ".";

export const emptyBoard: Board = free.repeat(9);

/** The eight rows, columns and diagonals. */
export const rows: readonly (readonly [number, number, number])[] = [
  [0, 1, 2],
  [3, 4, 5],
  [6, 7, 8],
  [0, 3, 6],
  [1, 4, 7],
  [2, 5, 8],
  [0, 4, 8],
  [2, 4, 6],
];

/** The numbers of the free cells, ascending. */
export function freeCells(board: Board): number[] {
  return Array.from(board).flatMap((cell, index) => (cell === free ? [index] : []));
}

/** The board after `mark` takes `cell`. */
export function place(board: Board, cell: number, mark: Mark): Board {
  if (board[cell] !== free) throw new RangeError(`Cell ${cell} of board ${board} is not free.`);
  return board.slice(0, cell) + mark + board.slice(cell + 1);
}

export function outcome(board: Board): Outcome {
  for (const [first, second, third] of rows) {
    const mark = board[first];
    if (mark !== board[second] || mark !== board[third]) continue;
    if (mark === "X" || mark === "O") return mark;
  }
  return board.includes(free) ? "open" : "draw";
}

export function otherMark(mark: Mark): Mark {
  return mark === "X" ? "O" : "X";
}
