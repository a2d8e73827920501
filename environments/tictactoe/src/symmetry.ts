import type { Board } from "./game.ts";

/** A rotation or reflection of a board: entry `cell` is the new index of that cell. */
export type Symmetry = readonly number[];

/** All eight of them; the first leaves every cell where it is. */
export const symmetries: readonly Symmetry[] = [0, 1, 2, 3, 4, 5, 6, 7].map((way) =>
  [0, 1, 2, 3, 4, 5, 6, 7, 8].map((cell) => {
    const row = way & 1 ? 2 - Math.floor(cell / 3) : Math.floor(cell / 3);
    const column = way & 2 ? 2 - (cell % 3) : cell % 3;
    return way & 4 ? column * 3 + row : row * 3 + column;
  }),
);

/** The board turned or mirrored. */
export function turn(board: Board, symmetry: Symmetry): Board {
  return Array.from(board, (_, place) => board[symmetry.indexOf(place)]).join("");
}

/** A name for the board and its images: the same for all of them. */
export function shapeOf(board: Board): Board {
  return symmetries
    .map((symmetry) => turn(board, symmetry))
    .reduce((least, image) => (image < least ? image : least));
}
