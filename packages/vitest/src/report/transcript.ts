import type { Message, ToolCall } from "@envs/core";
import type { TranscriptEvent } from "@vitest-evals/core";

import { asJson, type Json, type JsonObject } from "./json.ts";

/** The events of a conversation, as the report of vitest-evals 0.16 reads them. */
export function transcriptOf(messages: readonly Message[]): readonly TranscriptEvent[] {
  const names = new Map<string, string>();
  return messages.flatMap((message): readonly TranscriptEvent[] => {
    if (message.role === "tool") {
      const { tool_call_id: toolCallId, content } = message;
      const name = names.get(toolCallId);
      const result = { type: "tool_result", toolCallId, content: asJson(content) } as const;
      return [name === undefined ? result : { ...result, name }];
    }
    const { role, content } = message;
    const calls = role === "assistant" ? (message.tool_calls ?? []) : [];
    for (const { id, function: called } of calls) names.set(id, called.name);
    const isEmpty = content === "" && calls.length > 0;
    return [
      ...(isEmpty ? [] : [{ type: "message", role, content: asJson(content) } as const]),
      ...calls.map((call) => ({
        type: "tool_call" as const,
        id: call.id,
        name: call.function.name,
        arguments: argumentsOf(call),
      })),
    ];
  });
}

/** The arguments as an object; text that is not the JSON of one is kept as `input`. */
export function argumentsOf({ function: { arguments: text } }: ToolCall): JsonObject {
  try {
    const parsed = JSON.parse(text) as Json;
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)
      ? parsed
      : { input: parsed };
  } catch {
    return { input: text };
  }
}
