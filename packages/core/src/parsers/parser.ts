import { type Message, repliesOf } from "../message/message.ts";

/** Reads typed data from a model's text. The parsers of this package take linear time for any text. */
export interface Parser<Parsed> {
  /** The format in words, for the prompt. */
  readonly format: string;
  parse(text: string): Parsed;
  /** The share of the model's messages that follow the format, from 0 to 1; 0 without messages. */
  formatScore(completion: readonly Message[]): number;
}

/** The mean of `score` over the model's messages; 0 without messages. */
export function meanOverReplies(
  completion: readonly Message[],
  score: (text: string) => number,
): number {
  const replies = repliesOf(completion);
  if (replies.length === 0) return 0;
  return replies.reduce((sum, { content }) => sum + score(content), 0) / replies.length;
}
