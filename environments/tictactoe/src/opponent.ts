import { type Board, emptyBoard, freeCells, type Mark, place } from "./game.ts";
import type { Player } from "./players.ts";

/** The part of core's `Random` that the opponent uses. */
export interface RandomSource {
  /** The next number, at least 0 and below 1. */
  next(): number;
  /** One of `items`, all equally likely. */
  pick<Item>(items: readonly Item[]): Item;
}

/** A player that takes a random free cell with probability `randomMoveProb`. */
export interface Opponent {
  readonly player: Player;
  readonly randomMoveProb: number;
}

/** The cell that an opponent takes. */
export function chooseCell(
  board: Board,
  { player, randomMoveProb }: Opponent,
  { mark, random }: { readonly mark: Mark; readonly random: RandomSource },
): number {
  return random.pick(random.next() < randomMoveProb ? freeCells(board) : player(board, mark));
}

/** The first board of X: in half of the games it is empty, in the others it has O's first move. */
export function openingBoard(
  opponent: Opponent,
  sources: { readonly start: RandomSource; readonly reply: RandomSource },
): Board {
  if (sources.start.next() < 0.5) return emptyBoard;
  const cell = chooseCell(emptyBoard, opponent, { mark: "O", random: sources.reply });
  return place(emptyBoard, cell, "O");
}

/** The range of the opponent's random-move probability, divided into `numGroups` equal parts. */
export interface Difficulty {
  readonly minRandomMoveProb: number;
  readonly maxRandomMoveProb: number;
  readonly numGroups: number;
}

/** The random-move probability of example `index`: uniform in part `index` modulo `numGroups` of the range. */
export function randomMoveProbOf(
  index: number,
  difficulty: Difficulty,
  random: RandomSource,
): number {
  const { minRandomMoveProb: low, maxRandomMoveProb: high, numGroups } = difficulty;
  return low + (((index % numGroups) + random.next()) / numGroups) * (high - low);
}
