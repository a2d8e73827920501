import type { AssistantMessage, ToolCall } from "@envs/core";

const opening = "<tool_call>";
const closing = "</tool_call>";

/**
 * Reads the tool calls that a model wrote: JSON in `<tool_call>` tags, or a reply that is one call as bare JSON. What is
 * not a call stays text. `firstId` numbers the calls, so that ids do not repeat within a conversation.
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

/** A call has a name and arguments; Llama's own form says parameters. */
function readCall(json: string, id: string): ToolCall | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("name" in value)) return undefined;
  const { name, arguments: given, parameters } = value as Readonly<Record<string, unknown>>;
  const input = given ?? parameters;
  if (typeof name !== "string" || input === undefined) return undefined;
  const text = typeof input === "string" ? input : JSON.stringify(input);
  return { id, type: "function", function: { name, arguments: text } };
}
