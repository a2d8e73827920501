import type { Message, ToolCall } from "@envs/core";
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
    return { role: "user", content: `<tool_response>\n${message.content}\n</tool_response>` };
  if (message.role !== "assistant" || message.tool_calls === undefined) return message;
  const { tool_calls: calls, ...rest } = message;
  const parts = [message.content, ...calls.map(writeCall)].filter((part) => part !== "");
  return { ...rest, content: parts.join("\n") };
}

function writeCall({ function: { name, arguments: json } }: ToolCall): string {
  return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${json || "{}"}}\n</tool_call>`;
}
