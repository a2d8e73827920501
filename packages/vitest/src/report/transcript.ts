import type { Message, ToolCall } from "@envs/core";

import { asJson, type Json, type JsonObject } from "./json.ts";

/** One event of a session, as the report of vitest-evals 0.16 reads it. */
export type TranscriptEvent =
  | {
      readonly type: "message";
      readonly role: "system" | "user" | "assistant";
      readonly content: Json;
    }
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly arguments: JsonObject;
    }
  | {
      readonly type: "tool_result";
      readonly toolCallId: string;
      readonly name?: string;
      readonly content: Json;
    };

/** The events of a conversation. */
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
      ? (parsed as JsonObject)
      : { input: parsed };
  } catch {
    return { input: text };
  }
}
