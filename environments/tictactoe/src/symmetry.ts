import type { Board } from "./game.ts";

/** A rotation or reflection of a board: entry `cell` is the new index of that cell. */
export type Symmetry = readonly number[];

/** All eight symmetries; the first is the identity. */
export const symmetries: readonly Symmetry[] = [0, 1, 2, 3, 4, 5, 6, 7].map((index) =>
  [0, 1, 2, 3, 4, 5, 6, 7, 8].map((cell) => {
    const row = index & 1 ? 2 - Math.floor(cell / 3) : Math.floor(cell / 3);
    const column = index & 2 ? 2 - (cell % 3) : cell % 3;
    return index & 4 ? column * 3 + row : row * 3 + column;
  }),
);

/** Rotates or mirrors a board. */
export function turn(board: Board, symmetry: Symmetry): Board {
  return Array.from(board, (_, cell) => board[symmetry.indexOf(cell)]).join("");
}

/** A canonical form that is equal for a board and its rotations and reflections. */
export function shapeOf(board: Board): Board {
  return symmetries
    .map((symmetry) => turn(board, symmetry))
    .reduce((least, image) => (image < least ? image : least));
}
