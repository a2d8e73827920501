import { type Board, emptyBoard, freeCells, place } from "./game.ts";
import type { Player } from "./players.ts";

/** The part of core's `Random` that the opponent uses. */
export interface RandomSource {
  /** The next number, at least 0 and below 1. */
  next(): number;
  /** One of `items`, all equally likely. */
  pick<Item>(items: readonly Item[]): Item;
}

/** A player of O that takes a random free cell with probability `randomMoveProb`. */
export interface Opponent {
  readonly player: Player;
  readonly randomMoveProb: number;
}

/** The board after O's move. */
export function replyAsO(
  board: Board,
  { player, randomMoveProb }: Opponent,
  random: RandomSource,
): Board {
  const cells = random.next() < randomMoveProb ? freeCells(board) : player(board, "O");
  return place(board, random.pick(cells), "O");
}

/** The first board of X: in half of the games it is empty, in the others it has O's first move. */
export function openingBoard(
  opponent: Opponent,
  sources: { readonly start: RandomSource; readonly reply: RandomSource },
): Board {
  return sources.start.next() < 0.5 ? emptyBoard : replyAsO(emptyBoard, opponent, sources.reply);
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
