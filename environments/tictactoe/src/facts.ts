import { type Board, freeCells, type Mark, otherMark, outcome, place, rows } from "./game.ts";

/** The facts on a board before a player moves: X, unless stated otherwise. */
export interface Facts {
  /** Free cells that complete three of the player. */
  readonly win: readonly number[];
  /** Free cells that would complete three of the other player. */
  readonly block: readonly number[];
  /** Free cells that give the player two threats at once. */
  readonly fork: readonly number[];
  /** Free cells that give the other player two threats at once. */
  readonly trap: readonly number[];
}

export type Fact = keyof Facts;

/** The facts in the order in which they are stated. */
export const factNames: readonly Fact[] = ["win", "block", "fork", "trap"];

/** Every fact about a board, for the player of `mark`. */
export function factsOf(board: Board, mark: Mark = "X"): Facts {
  const other = otherMark(mark);
  return {
    win: completions(board, mark),
    block: completions(board, other),
    fork: forks(board, mark),
    trap: forks(board, other),
  };
}

/** The free cells that complete three in a row for `mark`. */
export function completions(board: Board, mark: Mark): number[] {
  return freeCells(board).filter((cell) => outcome(place(board, cell, mark)) === mark);
}

/** The free cells in at least two rows that contain one `mark` and two free cells: taking one makes two threats at once. */
export function forks(board: Board, mark: Mark): number[] {
  const open = rows.filter((row) => count(board, row, mark) === 1 && count(board, row, ".") === 2);
  return freeCells(board).filter((cell) => open.filter((row) => row.includes(cell)).length >= 2);
}

/** States all facts in one line: `win: 6; block: 2, 8; fork: none; trap: none`. */
export function writeFacts(facts: Facts): string {
  return factNames.map((name) => `${name}: ${facts[name].join(", ") || "none"}`).join("; ");
}

function count(board: Board, row: readonly number[], mark: string): number {
  return row.filter((cell) => board[cell] === mark).length;
}

const statement =
  /\b(win|block|fork|trap)[\s:=]*(none\b|[0-8](?![0-9])(?:[\s,]+[0-8](?![0-9]))*)/giu;

/** Reads the facts in a text, by name; a fact may be stated several times. Accepts any space and case. */
export function readFacts(text: string): ReadonlyMap<string, readonly (readonly number[])[]> {
  const stated = new Map<string, (readonly number[])[]>();
  for (const [, name = "", cells = ""] of text.matchAll(statement)) {
    const fact = name.toLowerCase();
    const numbers = [...cells.matchAll(/\d/gu)].map(([digit]) => Number(digit));
    stated.set(fact, [...(stated.get(fact) ?? []), numbers]);
  }
  return stated;
}
