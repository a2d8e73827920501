import { type Message, repliesOf, type ToolCall } from "@envs/core";

/** A tool call as a server sends it. */
interface ReceivedCall {
  readonly id?: string | null | undefined;
  readonly name: string;
  /** JSON text, or the value that some servers send instead. */
  readonly input: unknown;
}

/**
 * Creates the tool calls of a reply, with ids that are unique in the conversation: results refer to calls by id, but some
 * servers omit the ids, or count from 0 in each reply.
 */
export function createToolCalls(
  received: readonly ReceivedCall[],
  messages: readonly Message[],
): readonly ToolCall[] {
  if (received.length === 0) return [];
  const used = new Set(
    repliesOf(messages).flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id)),
  );
  return received.map(({ id, name, input }, index) => {
    const base = id || `call_${messages.length}_${index}`;
    let unique = base;
    for (let copy = 2; used.has(unique); copy += 1) unique = `${base}_${copy}`;
    used.add(unique);
    return { id: unique, type: "function", function: { name, arguments: argumentsOf(input) } };
  });
}

function argumentsOf(input: unknown): string {
  if (typeof input === "string") return input;
  return input === null || input === undefined ? "" : JSON.stringify(input);
}
