import { ConfigError, type Message } from "@envs/core";

import { readMove } from "../conversation.ts";
import type { Board } from "../game.ts";
import { parser } from "../protocol.ts";

/**
 * Lets a model answer many conversations at once; the replies are in the same order. It must be deterministic
 * (temperature 0): every conversation is asked once.
 */
export type Ask = (conversations: readonly (readonly Message[])[]) => Promise<readonly string[]>;

/** A reply, and the cell that it takes; no cell if the move does not count. */
export interface Answer {
  readonly reply: string;
  readonly cell: number | undefined;
}

/** One conversation and the board that its last message shows. */
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
