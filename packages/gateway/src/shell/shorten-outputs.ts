import { type Message, textOf } from "@envs/core";

/** The results at the end of a conversation that stay whole if they fit. */
const recent = 6;
const kept = 400;

/**
 * Cuts the middle out of the old results of tools in a conversation with more characters than `limit`, and of recent ones if that is
 * not enough. Does it rarely and for many results at once, because servers cache what stays the same.
 */
export function shortenOutputs(messages: readonly Message[], limit: number): readonly Message[] {
  let shortened = messages;
  for (const whole of [recent, 1, 0]) {
    if (lengthOf(shortened) <= limit) return shortened;
    const results = messages.flatMap(({ role }, index) => (role === "tool" ? [index] : []));
    const old = new Set(results.slice(0, results.length - whole));
    shortened = messages.map((message, index) => (old.has(index) ? shorten(message) : message));
  }
  return shortened;
}

function shorten(message: Message): Message {
  const text = textOf(message.content);
  if (text.length <= 2 * kept) return message;
  const cut = `${text.slice(0, kept)}\n[${text.length - 2 * kept} characters left out]\n${text.slice(-kept)}`;
  return { ...message, content: cut };
}

function lengthOf(messages: readonly Message[]): number {
  return messages.reduce(
    (sum, message) =>
      sum +
      textOf(message.content).length +
      (message.role === "assistant" ? JSON.stringify(message.tool_calls ?? []).length : 0),
    0,
  );
}
