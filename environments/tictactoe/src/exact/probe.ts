import type { Board } from "../game.ts";
import { bestMoves, value, worthOf } from "../minimax.ts";
import { positions } from "../positions.ts";
import type { Presentation } from "../presentation.ts";
import { openConversation } from "../protocol.ts";
import { judgeMove } from "../review.ts";
import { shapeOf } from "../symmetry.ts";
import { type Ask, askAll } from "./ask.ts";

/** A position and X's cell, or no cell after an invalid move. */
export interface PositionReply {
  readonly board: Board;
  readonly cell: number | undefined;
}

/** A position in which X did not choose one of the best moves. */
export interface Misplay extends PositionReply {
  /** `value`: X gave away a win or a draw, or its move was invalid; `speed`: X delayed a forced win. */
  readonly lost: "value" | "speed";
  readonly best: readonly number[];
}

/** X's play in each single position, without a history. */
export interface Probe {
  readonly positions: number;
  /** Share of positions with an invalid move. */
  readonly invalid: number;
  /** Share of positions where the move keeps the result that the position is worth: a win, a draw or a loss. */
  readonly keepsValue: number;
  /** Share of the positions with a forced win where the move takes the shortest way to it. */
  readonly shortestWin: number;
  /** The number of positions up to rotation and reflection. */
  readonly shapes: number;
  /** Share of the shapes for which X's moves in all images have the same minimax value. */
  readonly evenShapes: number;
  readonly misplays: readonly Misplay[];
}

export interface ProbeOptions {
  /** The presentation. Default: the one of the published environment. */
  readonly presentation?: Presentation | undefined;
}

/** Asks X for one move in every position in which X can be to move, in one batch. */
export async function probe(ask: Ask, { presentation }: ProbeOptions = {}): Promise<Probe> {
  const questions = positions().map((board) => ({
    board,
    messages: openConversation(board, presentation),
  }));
  const answers = await askAll(ask, questions);
  const placed = questions.map(({ board }, index) => ({ board, cell: answers[index]?.cell }));
  const winning = placed.filter(({ board }) => value(board, "X") > 0);
  const shapes = Map.groupBy(placed, ({ board }) => shapeOf(board));
  const isEven = (images: readonly PositionReply[]): boolean =>
    new Set(images.map(worthOfMove)).size === 1;
  return {
    positions: placed.length,
    invalid: share(placed, ({ cell }) => cell === undefined),
    keepsValue: share(placed, keepsValue),
    shortestWin: share(winning, takesShortestWin),
    shapes: shapes.size,
    evenShapes: share([...shapes.values()], isEven),
    misplays: placed.flatMap((position) => misplayOf(position) ?? []),
  };
}

function keepsValue({ board, cell }: PositionReply): boolean {
  if (cell === undefined) return false;
  return Math.sign(worthOf(board, cell, "X")) === Math.sign(value(board, "X"));
}

function takesShortestWin({ board, cell }: PositionReply): boolean {
  return cell !== undefined && judgeMove(board, cell) === "shortest";
}

function worthOfMove({ board, cell }: PositionReply): number | undefined {
  return cell === undefined ? undefined : worthOf(board, cell, "X");
}

function misplayOf(placed: PositionReply): Misplay | undefined {
  const best = bestMoves(placed.board, "X");
  if (!keepsValue(placed)) return { ...placed, lost: "value", best };
  const isSlow = value(placed.board, "X") > 0 && !takesShortestWin(placed);
  return isSlow ? { ...placed, lost: "speed", best } : undefined;
}

function share<Item>(items: readonly Item[], holds: (item: Item) => boolean): number {
  return items.length === 0 ? 1 : items.filter(holds).length / items.length;
}
