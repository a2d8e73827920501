import { ConfigError, type Message } from "@envs/core";

import { readMove } from "../conversation.ts";
import type { Board } from "../game.ts";
import { parser } from "../protocol.ts";

/**
 * Returns a model's replies to many conversations, in the same order. It must be deterministic (temperature 0), because each
 * conversation is asked only once.
 */
export type Ask = (conversations: readonly (readonly Message[])[]) => Promise<readonly string[]>;

/** A reply and its cell, or no cell after an invalid move. */
export interface Answer {
  readonly reply: string;
  readonly cell: number | undefined;
}

/** A conversation and the board in its last message. */
export interface Question {
  readonly messages: readonly Message[];
  readonly board: Board;
}

/** The answer to each question, in order. */
export async function askAll(ask: Ask, questions: readonly Question[]): Promise<readonly Answer[]> {
  const replies = await ask(questions.map(({ messages }) => messages));
  if (replies.length !== questions.length)
    throw new ConfigError(
      `${questions.length} conversations got ${replies.length} replies. Return one reply for each conversation, in order.`,
    );
  return questions.map(({ board }, index) => {
    const reply = replies[index] ?? "";
    const read = readMove(board, parser.parse(reply).move);
    return { reply, cell: "cell" in read ? read.cell : undefined };
  });
}
