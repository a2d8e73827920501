import type { Board } from "../game.ts";
import { bestMoves, value, worthOf } from "../minimax.ts";
import { positions } from "../positions.ts";
import { openConversation } from "../protocol.ts";
import { judgeMove } from "../review.ts";
import { shapeOf } from "../symmetry.ts";
import { type Ask, askAll } from "./ask.ts";

/** A position and what X did there; no cell if the move was invalid. */
export interface Placed {
  readonly board: Board;
  readonly cell: number | undefined;
}

/** A position in which X played worse than it could, and the moves that it should have chosen from. */
export interface Misplay extends Placed {
  /** `value`: a win or a draw was given away, or the move was invalid; `speed`: a forced win got longer. */
  readonly lost: "value" | "speed";
  readonly best: readonly number[];
}

/** What X does in each position on its own, without a history. */
export interface Probe {
  readonly positions: number;
  /** Share of positions with an invalid move. */
  readonly invalid: number;
  /** Share of positions where the move keeps what the position is worth: a win, a draw, or a loss. */
  readonly keepsValue: number;
  /** Share of the positions with a forced win where the move takes the shortest way to it. */
  readonly shortestWin: number;
  /** How many positions there are if those that are turned or mirrored images of each other count as one. */
  readonly shapes: number;
  /** Share of the shapes in all of whose images the move is worth the same, the number of moves to the end included. */
  readonly evenShapes: number;
  readonly misplays: readonly Misplay[];
}

/** Asks X for one move in every position in which it can have to move, all at once. */
export async function probe(ask: Ask): Promise<Probe> {
  const questions = positions().map((board) => ({ board, messages: openConversation(board) }));
  const answers = await askAll(ask, questions);
  const placed = questions.map(({ board }, index) => ({ board, cell: answers[index]?.cell }));
  const winning = placed.filter(({ board }) => value(board, "X") > 0);
  const shapes = Map.groupBy(placed, ({ board }) => shapeOf(board));
  const isEven = (images: readonly Placed[]): boolean =>
    new Set(images.map(worthOfMove)).size === 1;
  return {
    positions: placed.length,
    invalid: share(placed, ({ cell }) => cell === undefined),
    keepsValue: share(placed, keepsValue),
    shortestWin: share(winning, takesShortestWin),
    shapes: shapes.size,
    evenShapes: share([...shapes.values()], isEven),
    misplays: placed.flatMap((each) => misplayOf(each) ?? []),
  };
}

function keepsValue({ board, cell }: Placed): boolean {
  if (cell === undefined) return false;
  return Math.sign(worthOf(board, cell, "X")) === Math.sign(value(board, "X"));
}

function takesShortestWin({ board, cell }: Placed): boolean {
  return cell !== undefined && judgeMove(board, cell) === "shortest";
}

function worthOfMove({ board, cell }: Placed): number | undefined {
  return cell === undefined ? undefined : worthOf(board, cell, "X");
}

function misplayOf(placed: Placed): Misplay | undefined {
  const best = bestMoves(placed.board, "X");
  if (!keepsValue(placed)) return { ...placed, lost: "value", best };
  const isSlow = value(placed.board, "X") > 0 && !takesShortestWin(placed);
  return isSlow ? { ...placed, lost: "speed", best } : undefined;
}

function share<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  return items.length === 0 ? 1 : items.filter(holds).length / items.length;
}
