import { factNames, factsOf, readFacts } from "./facts.ts";
import { type Board, freeCells, outcome } from "./game.ts";
import { bestMoves, value, worthOf } from "./minimax.ts";

/** A reply of X: the board that it saw, its thought, and its cell, or no cell after an invalid move. */
export interface Reply {
  readonly board: Board;
  readonly think: string | undefined;
  readonly cell: number | undefined;
}

/** Counts of the facts that X could state about its boards, that it stated, and that it stated truly and completely. */
export interface FactCounts {
  readonly possible: number;
  readonly stated: number;
  readonly right: number;
}

/** Compares the facts in X's thoughts with the boards. A fact stated twice is right if both statements are right. */
export function countFacts(replies: readonly Reply[]): FactCounts {
  let [stated, right] = [0, 0];
  for (const { board, think = "" } of replies) {
    const facts = factsOf(board);
    const statementsByFact = readFacts(think);
    for (const name of factNames) {
      const statements = statementsByFact.get(name);
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

/** The use of a forced win: missed it, kept it with a detour, or took the shortest way; `none` without a forced win. */
export type WinJudgement = "missed" | "slow" | "shortest" | "none";

/** Judges a move of X. */
export function judgeMove(board: Board, cell: number): WinJudgement {
  if (value(board, "X") <= 0) return "none";
  if (worthOf(board, cell, "X") <= 0) return "missed";
  return bestMoves(board, "X").includes(cell) ? "shortest" : "slow";
}

/** 1 if at least one move has this judgement, else 0; null if X did not have a forced win in the game. */
export function someWinJudged(replies: readonly Reply[], judged: "missed" | "slow"): number | null {
  const wins = replies
    .flatMap(({ board, cell }) => (cell === undefined ? [] : [judgeMove(board, cell)]))
    .filter((each) => each !== "none");
  return wins.length === 0 ? null : Number(wins.some((each) => each === judged));
}

/** 1 if the game ended with this result, else 0. */
export function endedAs(board: Board, result: "X" | "O" | "draw"): number {
  return Number(outcome(board) === result);
}

/** The speed of a win: 1 for a win in three moves, less for each further cell; 0 if X did not win. */
export function speedOf(board: Board): number {
  return outcome(board) === "X" ? freeCells(board).length / freeAfterFastest : 0;
}

/** The free cells after the fastest win: X has three marks and O has two. */
const freeAfterFastest = 4;

function isSame(stated: readonly number[], cells: readonly number[]): boolean {
  const statedCells = new Set(stated);
  return statedCells.size === cells.length && cells.every((cell) => statedCells.has(cell));
}
