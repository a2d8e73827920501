import { parseJson } from "../json.ts";
import type { Message } from "../message.ts";

interface TextPart {
  type: "text";
  text: string;
}
interface ToolCallPart {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: unknown;
}
interface ToolResultPart {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
  output: { type: "text"; value: string };
}

/** The message format that both versions of the interface share. */
export type PromptMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: TextPart[] }
  | { role: "assistant"; content: (TextPart | ToolCallPart)[] }
  | { role: "tool"; content: ToolResultPart[] };

/** Converts a conversation to the prompt of the AI SDK. */
export function toPrompt(messages: readonly Message[]): PromptMessage[] {
  const toolNames = new Map<string, string>();
  return messages.map((message): PromptMessage => {
    switch (message.role) {
      case "system":
        return { role: "system", content: message.content };
      case "user":
        return { role: "user", content: [{ type: "text", text: message.content }] };
      case "tool": {
        const toolCallId = message.tool_call_id;
        const output = { type: "text", value: message.content } as const;
        const toolName = toolNames.get(toolCallId) ?? "unknown";
        return { role: "tool", content: [{ type: "tool-result", toolCallId, toolName, output }] };
      }
      case "assistant": {
        const calls = message.tool_calls ?? [];
        for (const { id, function: called } of calls) toolNames.set(id, called.name);
        return {
          role: "assistant",
          content: [
            ...(message.content === "" ? [] : [{ type: "text", text: message.content } as const]),
            ...calls.map(({ id, function: called }) => ({
              type: "tool-call" as const,
              toolCallId: id,
              toolName: called.name,
              input: parseJson(called.arguments) ?? called.arguments,
            })),
          ],
        };
      }
    }
  });
}
