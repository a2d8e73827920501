import type { Board, Mark } from "../game.ts";
import { judgeMove } from "../review.ts";

/** The boards of one game: each board that the player saw, then the final one. */
export type Line = readonly Board[];

/** A move that did not take the shortest way to a forced win. */
export interface MissedWin {
  readonly board: Board;
  readonly cell: number;
  /** Whether the move still forces a win, by a longer way. */
  readonly isStillWon: boolean;
}

/** The results of all games against one opponent. The four probabilities add up to 1. */
export interface Tally {
  readonly win: number;
  readonly draw: number;
  readonly loss: number;
  /** An invalid move ends the game here: a deterministic model would repeat it. */
  readonly invalid: number;
  /** The number of different games. */
  readonly lines: number;
  readonly losingLines: readonly Line[];
  readonly invalidLines: readonly Line[];
  /** Every move that missed a forced win or delayed it. */
  readonly missedWins: readonly MissedWin[];
}

/** The result of a game for the player. */
export type Result = "win" | "draw" | "loss" | "invalid";

/** Accumulates a {@link Tally}. */
export class Tallier {
  readonly #mark: Mark;
  readonly #odds = { win: 0, draw: 0, loss: 0, invalid: 0 };
  readonly #losing: Line[] = [];
  readonly #invalid: Line[] = [];
  readonly #missedWins: MissedWin[] = [];
  #lines = 0;

  constructor(mark: Mark) {
    this.#mark = mark;
  }

  /** Adds the end of one game. */
  end(result: Result, line: Line, probability: number): void {
    this.#odds[result] += probability;
    this.#lines += 1;
    if (result === "loss") this.#losing.push(line);
    if (result === "invalid") this.#invalid.push(line);
  }

  /** Adds one move of the player. */
  move(board: Board, cell: number): void {
    const judged = judgeMove(board, cell, this.#mark);
    if (judged === "missed" || judged === "slow")
      this.#missedWins.push({ board, cell, isStillWon: judged === "slow" });
  }

  tally(): Tally {
    return {
      ...this.#odds,
      lines: this.#lines,
      losingLines: this.#losing,
      invalidLines: this.#invalid,
      missedWins: this.#missedWins,
    };
  }
}
