import type { AssistantMessage, ToolCall } from "@envs/core";

const opening = "<tool_call>";
const closing = "</tool_call>";

/**
 * Parses the tool calls of a reply: JSON in `<tool_call>` tags, or a reply that is one call as bare JSON. The rest of the reply
 * is its text. Ids count from `firstId`, so that they are unique within a conversation.
 */
export function readToolCalls(text: string, firstId: number): AssistantMessage {
  const calls: ToolCall[] = [];
  const add = (json: string): boolean => {
    const call = readCall(json, `call_${firstId + calls.length}`);
    if (call !== undefined) calls.push(call);
    return call !== undefined;
  };
  let rest = "";
  let position = 0;
  while (position < text.length) {
    const start = text.indexOf(opening, position);
    if (start === -1) break;
    const end = text.indexOf(closing, start);
    const block = text.slice(start + opening.length, end === -1 ? text.length : end);
    const next = end === -1 ? text.length : end + closing.length;
    rest += text.slice(position, add(block) ? start : next);
    position = next;
  }
  rest += text.slice(position);
  if (calls.length === 0 && add(text)) rest = "";
  return calls.length === 0
    ? { role: "assistant", content: text }
    : { role: "assistant", content: rest.trim(), tool_calls: calls };
}

/** Parses a call with a name and arguments, which Llama's format names parameters. */
function readCall(json: string, id: string): ToolCall | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("name" in value)) return undefined;
  const { name, arguments: args, parameters } = value as Readonly<Record<string, unknown>>;
  const input = args ?? parameters;
  if (typeof name !== "string" || input === undefined) return undefined;
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return { id, type: "function", function: { name, arguments: text } };
}
