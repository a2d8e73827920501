/** A message of a request. */
export interface SentMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
}

const megabyte = 1e6;
const words = "The agent reads the file and reports what it has found. ";

/** Conversations of the sizes that agents send, without their last message. */
export const conversations: Readonly<Record<string, readonly SentMessage[]>> = {
  "1 MB in 500 messages": Array.from({ length: 500 }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: textOf(megabyte / 500, index),
  })),
  "1 MB in one message": [{ role: "user", content: textOf(megabyte, 0) }],
};

function textOf(length: number, index: number): string {
  return `${index} ${words.repeat(Math.ceil(length / words.length))}`.slice(0, length);
}
