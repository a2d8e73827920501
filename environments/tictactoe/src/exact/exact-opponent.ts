import { type Board, freeCells } from "../game.ts";
import { type OpponentName, opponentNames, opponents } from "../players.ts";

/** An opponent whose every reply can be enumerated: those of the config, and one that takes any free cell. */
export type ExactOpponent = OpponentName | "random";

/** All opponents with enumerable replies. */
export const exactOpponents: readonly ExactOpponent[] = [...opponentNames, "random"];

/** The cells that `name` may take as O, all equally likely. */
export function opponentMoves(name: ExactOpponent, board: Board): readonly number[] {
  return name === "random" ? freeCells(board) : opponents[name](board, "O");
}
