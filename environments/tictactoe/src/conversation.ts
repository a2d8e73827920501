import * as z from "zod";

import { type Board, freeCells, outcome } from "./game.ts";
import {
  describeTurn,
  drawBoard,
  type Presentation,
  standardPresentation,
} from "./presentation.ts";

/** The message to the model when it has to move. */
export function yourTurn(board: Board, presentation: Presentation = standardPresentation): string {
  return describeTurn(board, presentation);
}

/** The question to an opponent of the driver that plays O. */
export function opponentTurn(board: Board): string {
  return `${drawBoard(board)}\n\nFree positions: ${freeCells(board).join(", ")}\nIt is O's turn.`;
}

/** The message to the model at the end of the game. */
export function gameOver(board: Board, { drawing }: Presentation = standardPresentation): string {
  const result = { X: "You win.", O: "You lose.", draw: "It is a draw.", open: "" }[outcome(board)];
  return `${drawBoard(board, drawing)}\n\n${result}`;
}

/** A parsed move, or the reason why the reply is invalid. */
export type ParsedMove = { readonly cell: number } | { readonly complaint: string };

/** Parses the text of a move. */
export function readMove(board: Board, text: string | undefined): ParsedMove {
  if (text === undefined) return { complaint: "Your reply has no complete pair of <move> tags." };
  const move = text.trim();
  if (!/^-?\d+$/u.test(move)) return { complaint: "A move is one number from 0 to 8." };
  const cell = Number(move);
  if (cell < 0 || cell > 8) return { complaint: "There is no such position." };
  if (board[cell] !== ".") return { complaint: `Position ${cell} is occupied.` };
  return { cell };
}

/** A schema that parses the number of a free position. */
export function moveSchema(board: Board) {
  return z.string().transform((text, context) => {
    const move = readMove(board, text);
    if ("cell" in move) return move.cell;
    context.addIssue(move.complaint);
    return z.NEVER;
  });
}

/** The message to the model after an invalid move. */
export function tryAgain(board: Board, complaint: string, presentation?: Presentation): string {
  return `Invalid move. ${complaint} Try again.\n\n${yourTurn(board, presentation)}`;
}
