import { type Board, freeCells } from "../game.ts";
import { type OpponentName, opponentNames, opponents } from "../players.ts";

/** An opponent whose every reply can be enumerated: those of the config, and one that takes any free cell. */
export type Rival = OpponentName | "random";

/** All rivals. */
export const rivals: readonly Rival[] = [...opponentNames, "random"];

/** The cells that `rival` may take as O, each as likely as the others. */
export function rivalMoves(rival: Rival, board: Board): readonly number[] {
  return rival === "random" ? freeCells(board) : opponents[rival](board, "O");
}
