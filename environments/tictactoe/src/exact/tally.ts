import type { Board } from "../game.ts";
import { judgeMove } from "../review.ts";

/** The boards of one game: each that X saw, then the last. */
export type Line = readonly Board[];

/** A move that did not take the shortest way to a forced win. */
export interface WinMissed {
  readonly board: Board;
  readonly cell: number;
  /** The move still forces a win, by a longer way. */
  readonly isStillWon: boolean;
}

/** The results of all games against one opponent. The four probabilities add up to 1. */
export interface Tally {
  readonly win: number;
  readonly draw: number;
  readonly loss: number;
  /** An invalid move ends the game here: asked again, the same model would say the same. */
  readonly invalid: number;
  /** How many different games there are. */
  readonly lines: number;
  readonly losingLines: readonly Line[];
  readonly invalidLines: readonly Line[];
  /** Every move that let a forced win go or took a detour to it. */
  readonly missedWins: readonly WinMissed[];
}

/** How a game ended for X. */
export type Result = "win" | "draw" | "loss" | "invalid";

/** Gathers a {@link Tally}. */
export class Tallier {
  readonly #odds = { win: 0, draw: 0, loss: 0, invalid: 0 };
  readonly #losing: Line[] = [];
  readonly #invalid: Line[] = [];
  readonly #missedWins: WinMissed[] = [];
  #lines = 0;

  /** Notes the end of one game. */
  end(result: Result, line: Line, probability: number): void {
    this.#odds[result] += probability;
    this.#lines += 1;
    if (result === "loss") this.#losing.push(line);
    if (result === "invalid") this.#invalid.push(line);
  }

  /** Notes one move of X. */
  move(board: Board, cell: number): void {
    const judged = judgeMove(board, cell);
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
