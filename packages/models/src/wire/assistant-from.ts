import type { AssistantMessage, ToolCall } from "@envs/core";
import { omitUndefined } from "@envs/core/engine";

interface AssistantParts {
  readonly content: string;
  readonly reasoning: string | null | undefined;
  readonly toolCalls: readonly ToolCall[] | null | undefined;
}

/** Creates a message of the model from the parts of a response. Omits reasoning and tool calls that are empty. */
export function assistantFrom({ content, reasoning, toolCalls }: AssistantParts): AssistantMessage {
  return omitUndefined({
    role: "assistant" as const,
    content,
    reasoning_content: reasoning || undefined,
    tool_calls: toolCalls && toolCalls.length > 0 ? toolCalls : undefined,
  });
}
