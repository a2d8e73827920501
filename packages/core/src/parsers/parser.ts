import { assistantMessages, type Message } from "../message.ts";

/** Reads something typed from a model's text. Every parser here takes time linear in the text, whatever it holds. */
export interface Parser<Parsed> {
  /** What a prompt should ask for. */
  readonly format: string;
  parse(text: string): Parsed;
  /** The share of the model's messages that keep the format, from 0 to 1; 0 if there are none. */
  formatScore(completion: readonly Message[]): number;
}

/** The mean of `score` over the model's messages; 0 if there are none. */
export function meanOverReplies(
  completion: readonly Message[],
  score: (text: string) => number,
): number {
  const replies = assistantMessages(completion);
  if (replies.length === 0) return 0;
  return replies.reduce((sum, { content }) => sum + score(content), 0) / replies.length;
}
