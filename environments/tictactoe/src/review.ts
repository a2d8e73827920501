import { factNames, factsOf, readFacts } from "./facts.ts";
import { type Board, freeCells, type Mark, outcome } from "./game.ts";
import { bestMoves, value, worthOf } from "./minimax.ts";

/** A reply of a player: the board that it saw, its thought, and its cell, or no cell after an invalid move. */
export interface Reply {
  readonly board: Board;
  readonly think: string | undefined;
  readonly cell: number | undefined;
}

/** Counts of the facts that a player could state about its boards, that it stated, and that it stated truly and completely. */
export interface FactCounts {
  readonly possible: number;
  readonly stated: number;
  readonly right: number;
}

/** Compares the facts in a player's thoughts with the boards. A fact stated twice is right if both statements are right. */
export function countFacts(replies: readonly Reply[], mark: Mark = "X"): FactCounts {
  let [stated, right] = [0, 0];
  for (const { board, think = "" } of replies) {
    const facts = factsOf(board, mark);
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
export function shareOfTrue(replies: readonly Reply[], mark: Mark = "X"): number | null {
  const { stated, right } = countFacts(replies, mark);
  return stated === 0 ? null : right / stated;
}

/** The use of a forced win: missed it, kept it with a detour, or took the shortest way; `none` without a forced win. */
export type WinJudgement = "missed" | "slow" | "shortest" | "none";

export function judgeMove(board: Board, cell: number, mark: Mark = "X"): WinJudgement {
  if (value(board, mark) <= 0) return "none";
  if (worthOf(board, cell, mark) <= 0) return "missed";
  return bestMoves(board, mark).includes(cell) ? "shortest" : "slow";
}

/** 1 if at least one move has this judgement, else 0; null if the player did not have a forced win in the game. */
export function someWinJudged(
  replies: readonly Reply[],
  judged: "missed" | "slow",
  mark: Mark = "X",
): number | null {
  const wins = replies
    .flatMap(({ board, cell }) => (cell === undefined ? [] : [judgeMove(board, cell, mark)]))
    .filter((each) => each !== "none");
  return wins.length === 0 ? null : Number(wins.some((each) => each === judged));
}

/** 1 if the game ended with this result, else 0. */
export function endedAs(board: Board, result: "X" | "O" | "draw"): number {
  return Number(outcome(board) === result);
}

/** 1 for a win of the player, 0.5 for a draw, else 0. */
export function worthOfEnd(board: Board, mark: Mark): number {
  const result = outcome(board);
  return result === "draw" ? 0.5 : Number(result === mark);
}

/** The speed of a win: 1 for a win in three moves, less for each further cell; 0 if the player did not win. */
export function speedOf(board: Board, mark: Mark = "X"): number {
  return outcome(board) === mark ? freeCells(board).length / freeAfterFastest : 0;
}

/** The free cells after the fastest win: X has three marks and O has two. */
const freeAfterFastest = 4;

function isSame(stated: readonly number[], cells: readonly number[]): boolean {
  const statedCells = new Set(stated);
  return statedCells.size === cells.length && cells.every((cell) => statedCells.has(cell));
}
