import { type Board, freeCells, type Mark } from "../game.ts";
import { type OpponentName, opponentNames, opponents } from "../players.ts";

/** An opponent whose replies can be enumerated: the opponents of the config, and one that takes any free cell. */
export type ExactOpponent = OpponentName | "random";

/** All opponents with enumerable replies. */
export const exactOpponents: readonly ExactOpponent[] = [...opponentNames, "random"];

/** The cells that `name` may take as `mark`, all equally likely. */
export function opponentMoves(name: ExactOpponent, board: Board, mark: Mark): readonly number[] {
  return name === "random" ? freeCells(board) : opponents[name](board, mark);
}
