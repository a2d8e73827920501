import { factNames, factsOf, readFacts } from "./facts.ts";
import { type Board, freeCells, outcome } from "./game.ts";
import { bestMoves, value, worthOf } from "./minimax.ts";

/** A reply of X: the board it saw, what it thought, and the cell it took; no cell if the move did not count. */
export interface Reply {
  readonly board: Board;
  readonly think: string | undefined;
  readonly cell: number | undefined;
}

/** How many facts could be stated about the boards seen, how many were, and how many of those truly and completely. */
export interface Stated {
  readonly possible: number;
  readonly stated: number;
  readonly right: number;
}

/** Holds the facts stated in thoughts to the boards seen. A fact stated twice is right if both statements are. */
export function countFacts(replies: readonly Reply[]): Stated {
  let [stated, right] = [0, 0];
  for (const { board, think = "" } of replies) {
    const facts = factsOf(board);
    const said = readFacts(think);
    for (const name of factNames) {
      const statements = said.get(name);
      if (statements === undefined) continue;
      stated += 1;
      if (statements.every((cells) => isSame(cells, facts[name]))) right += 1;
    }
  }
  return { possible: replies.length * factNames.length, stated, right };
}

/** The share of the stated facts that are true and complete; null if no fact was stated. */
export function shareOfTrue(replies: readonly Reply[]): number | null {
  const { stated, right } = countFacts(replies);
  return stated === 0 ? null : right / stated;
}

/** X's use of its forced wins: missed one, won by a detour, or by the shortest way; `none`: X did not have a forced win. */
export type WinTaken = "missed" | "slow" | "shortest" | "none";

/** Judges one move. */
export function judgeMove(board: Board, cell: number): WinTaken {
  if (value(board, "X") <= 0) return "none";
  if (worthOf(board, cell, "X") <= 0) return "missed";
  return bestMoves(board, "X").includes(cell) ? "shortest" : "slow";
}

/** 1 if some move of the game was judged so, 0 if none was; null if X never moved where it had a forced win. */
export function hadWin(replies: readonly Reply[], judged: "missed" | "slow"): number | null {
  const wins = replies
    .flatMap(({ board, cell }) => (cell === undefined ? [] : [judgeMove(board, cell)]))
    .filter((each) => each !== "none");
  return wins.length === 0 ? null : Number(wins.some((each) => each === judged));
}

/** 1 if the game ended with this result, else 0. */
export function endedAs(board: Board, result: "X" | "O" | "draw"): number {
  return Number(outcome(board) === result);
}

/** How fast a game was won: 1 for a win in three moves, less for each cell filled after that; 0 if it was not won. */
export function speedOf(board: Board): number {
  return outcome(board) === "X" ? freeCells(board).length / freeAfterFastest : 0;
}

/** X has three marks by then, O two. */
const freeAfterFastest = 4;

function isSame(stated: readonly number[], cells: readonly number[]): boolean {
  const given = new Set(stated);
  return given.size === cells.length && cells.every((cell) => given.has(cell));
}
