import { assistantMessage, type Message, userMessage, xmlParser } from "@envs/core";

import { yourTurn } from "./conversation.ts";
import { factsOf, writeFacts } from "./facts.ts";
import { type Board, type Mark, otherMark } from "./game.ts";
import type { Presentation } from "./presentation.ts";

/** The format of a reply: a thought and a move. */
export const parser = xmlParser("think", "move");

/** The rules for a player. The trained models depend on the exact text for X. */
export function systemPromptFor(mark: Mark): string {
  // prose-ignore
  return `You play tic-tac-toe as ${mark} against ${otherMark(mark)}. Whoever first has three marks in a row, column or diagonal wins.
The positions of the board are numbered 0 to 8, row by row; a free position shows its number.
When it is your turn, think briefly, then choose one free position. Answer in this form:
${parser.render({ think: "your thoughts", move: "a number from 0 to 8" })}`;
}

/** The rules for X. */
export const systemPrompt: string = systemPromptFor("X");

/** The reply of a policy that plays `cell`: it states all facts on the board. */
export function writeReply(board: Board, cell: number, mark: Mark = "X"): string {
  return parser.render({ think: writeFacts(factsOf(board, mark)), move: String(cell) });
}

/** The reply of a policy that plays `cell` without a thought. */
export function writeMove(cell: number): string {
  return parser.render({ think: "", move: String(cell) });
}

/** The conversation when a player has to move on the first board that it sees. */
export function openConversation(
  board: Board,
  presentation?: Presentation,
  mark: Mark = "X",
): readonly Message[] {
  return [
    { role: "system", content: systemPromptFor(mark) },
    userMessage(yourTurn(board, presentation)),
  ];
}

/** The conversation after a player's reply and the next board on which it has to move. */
export function continueConversation(
  messages: readonly Message[],
  turn: {
    readonly reply: string;
    readonly board: Board;
    readonly presentation?: Presentation | undefined;
  },
): readonly Message[] {
  const { reply, board, presentation } = turn;
  return [...messages, assistantMessage(reply), userMessage(yourTurn(board, presentation))];
}
