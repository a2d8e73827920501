import { type Board, type Mark, type Outcome, outcome } from "./game.ts";
import {
  describeTurn,
  drawBoard,
  type Presentation,
  standardPresentation,
} from "./presentation.ts";

/** The message to a player who has to move. */
export function yourTurn(board: Board, presentation: Presentation = standardPresentation): string {
  return describeTurn(board, presentation);
}

/** The message to the player of `mark` at the end of the game, also of one that a limit has ended. */
export function gameOver(
  board: Board,
  { drawing }: Presentation = standardPresentation,
  mark: Mark = "X",
): string {
  return `${drawBoard(board, drawing)}\n\n${verdict(outcome(board), mark)}`;
}

function verdict(result: Outcome, mark: Mark): string {
  if (result === "draw") return "It is a draw.";
  if (result === "open") return "The game has ended early.";
  return result === mark ? "You win." : "You lose.";
}

/** A parsed move, or the reason why the reply is invalid. */
export type ParsedMove = { readonly cell: number } | { readonly complaint: string };

export function readMove(board: Board, text: string | undefined): ParsedMove {
  if (text === undefined) return { complaint: "Your reply has no complete pair of <move> tags." };
  const move = text.trim();
  if (!/^-?\d+$/u.test(move)) return { complaint: "A move is one number from 0 to 8." };
  const cell = Number(move);
  if (cell < 0 || cell > 8) return { complaint: "There is no such position." };
  if (board[cell] !== ".") return { complaint: `Position ${cell} is occupied.` };
  return { cell };
}

/** The message to a player after an invalid move. */
export function tryAgain(board: Board, complaint: string, presentation?: Presentation): string {
  return `Invalid move. ${complaint} Try again.\n\n${yourTurn(board, presentation)}`;
}
