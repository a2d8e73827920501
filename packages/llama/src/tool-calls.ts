import { type AssistantMessage, type Message, textOf, type ToolCall } from "@envs/core";
import type { ToolSpec } from "@envs/core/engine";

/** Describes tools in the format of the Hermes models, for chat templates without tool support. */
function describeTools(tools: readonly ToolSpec[]): string {
  const example = '{"name": "tool_name", "arguments": {"argument": "value"}}';
  return [
    "You have tools. Here they are as JSON, one on each line:",
    "<tools>",
    ...tools.map((tool) => JSON.stringify(tool)),
    "</tools>",
    "To call a tool, write its name and its arguments as JSON between these tags:",
    `<tool_call>\n${example}\n</tool_call>`,
    "You then get the result between <tool_response> and </tool_response>.",
  ].join("\n");
}

/** Converts a conversation with tools to plain text: tools in the system message, calls and results in tags. */
export function toPlainText(
  messages: readonly Message[],
  tools: readonly ToolSpec[],
): readonly Message[] {
  const plain = messages.map(plainMessage);
  if (tools.length === 0) return plain;
  const description = describeTools(tools);
  const [first, ...rest] = plain;
  return first?.role === "system"
    ? [{ role: "system", content: `${first.content}\n\n${description}` }, ...rest]
    : [{ role: "system", content: description }, ...plain];
}

function plainMessage(message: Message): Message {
  if (message.role === "tool")
    return {
      role: "user",
      content: `<tool_response>\n${textOf(message.content)}\n</tool_response>`,
    };
  if (message.role !== "assistant" || message.tool_calls === undefined) return message;
  const { tool_calls: calls, ...rest } = message;
  const parts = [message.content, ...calls.map(writeCall)].filter((part) => part !== "");
  return { ...rest, content: parts.join("\n") };
}

function writeCall({ function: { name, arguments: json } }: ToolCall): string {
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${json || "{}"}}\n</tool_call>`;
}

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
