import type { Board } from "@envs/core";

/** A board as texts and legal squares, row by row. */
export interface Grid {
  readonly height: number;
  readonly width: number;
  readonly texts: readonly string[];
  /** The squares that can be played. */
  readonly legal: readonly boolean[];
  /** The reply that plays each square. */
  readonly replies: readonly (string | undefined)[];
}

/** Where a symmetry moves each square. */
export type Symmetry = readonly number[];

export function gridOf({ rows }: Board): Grid {
  const cells = rows.flat();
  return {
    height: rows.length,
    width: rows[0]?.length ?? 0,
    texts: cells.map(({ text }) => text),
    legal: cells.map(({ reply }) => reply !== undefined),
    replies: cells.map(({ reply }) => reply),
  };
}

/** The grid after a player has marked a square. */
export function withMark(grid: Grid, square: number, text: string): Grid {
  return {
    ...grid,
    texts: grid.texts.with(square, text),
    legal: grid.legal.with(square, false),
  };
}

/** The rotations and reflections, other than the identity, that leave a position as it is. */
export function symmetriesOf({ height, width, texts, legal }: Grid): readonly Symmetry[] {
  return transformations(height, width).filter((symmetry) =>
    symmetry.every((to, from) => texts[to] === texts[from] && legal[to] === legal[from]),
  );
}

/** The squares onto which symmetries map a square, in reading order. */
export function orbitOf(square: number, symmetries: readonly Symmetry[]): readonly number[] {
  const orbit = new Set([square]);
  for (const member of orbit) for (const symmetry of symmetries) orbit.add(symmetry[member]!);
  return [...orbit].toSorted((left, right) => left - right);
}

function transformations(height: number, width: number): readonly Symmetry[] {
  const make = (move: (row: number, column: number) => readonly [number, number]): Symmetry =>
    Array.from({ length: height * width }, (_, square) => {
      const [row, column] = move(Math.floor(square / width), square % width);
      return row * width + column;
    });
  const [bottom, right] = [height - 1, width - 1];
  const rectangular = [
    make((row, column) => [row, right - column]),
    make((row, column) => [bottom - row, column]),
    make((row, column) => [bottom - row, right - column]),
  ];
  if (height !== width) return rectangular;
  return [
    ...rectangular,
    make((row, column) => [column, row]),
    make((row, column) => [bottom - column, right - row]),
    make((row, column) => [column, bottom - row]),
    make((row, column) => [bottom - column, row]),
  ];
}
