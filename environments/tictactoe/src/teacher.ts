import { completions } from "./facts.ts";
import { type Board, freeCells } from "./game.ts";

/** The moves of a beginner with X: completes a row if it can, else stops O from that, else takes any free cell. */
export function beginnerMoves(board: Board): number[] {
  const choices = [completions(board, "X"), completions(board, "O"), freeCells(board)];
  return choices.find((cells) => cells.length > 0) ?? [];
}
