import { type Board, emptyBoard, freeCells, place } from "./game.ts";
import type { Player } from "./players.ts";

/** What the opponent needs of a stream of random numbers. */
export interface Dice {
  /** The next number, at least 0 and below 1. */
  next(): number;
  /** One of `items`, each as likely as the others. */
  pick<Item>(items: readonly Item[]): Item;
}

/** A player with O who takes any free cell with probability `randomMoveProb`. */
export interface Opponent {
  readonly player: Player;
  readonly randomMoveProb: number;
}

/** The board after O's move. */
export function answerAsO(board: Board, { player, randomMoveProb }: Opponent, dice: Dice): Board {
  const cells = dice.next() < randomMoveProb ? freeCells(board) : player(board, "O");
  return place(board, dice.pick(cells), "O");
}

/** The board that X sees first: empty, or, in half of the games, with O's first move on it. */
export function openingBoard(
  opponent: Opponent,
  dice: { readonly start: Dice; readonly reply: Dice },
): Board {
  return dice.start.next() < 0.5 ? emptyBoard : answerAsO(emptyBoard, opponent, dice.reply);
}

/** The range of an opponent's mistakes, cut into `numGroups` equal parts. */
export interface Difficulty {
  readonly minRandomMoveProb: number;
  readonly maxRandomMoveProb: number;
  readonly numGroups: number;
}

/** How often the opponent of example `index` moves at random: drawn from part `index` modulo `numGroups` of the range. */
export function randomMoveProbOf(index: number, difficulty: Difficulty, dice: Dice): number {
  const { minRandomMoveProb: low, maxRandomMoveProb: high, numGroups } = difficulty;
  return low + (((index % numGroups) + dice.next()) / numGroups) * (high - low);
}
