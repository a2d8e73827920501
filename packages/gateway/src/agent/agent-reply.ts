import { isDeepStrictEqual } from "node:util";

import { type AssistantMessage, callTools, type ModelResponse, type ToolCall } from "@envs/core";
import { addUsage, type AgentCall, noUsage } from "@envs/core/engine";
import { assistantFrom } from "@envs/models";

import type { OpenToolCall } from "./agent-tools.ts";

/**
 * The message that makes the agent's tool calls. It is the model's last reply if that requested the calls, so that an agent which
 * only passes calls on has the same trajectory as its model.
 */
export function callMessage(
  batch: readonly OpenToolCall[],
  last: AgentCall | undefined,
  turn: number,
): AssistantMessage & { readonly tool_calls: readonly ToolCall[] } {
  const asked = [...(last?.message.tool_calls ?? [])];
  const matched = batch.map((call) => {
    const index = asked.findIndex((candidate) => isSame(candidate, call));
    return index === -1 ? undefined : asked.splice(index, 1)[0];
  });
  if (last !== undefined && matched.every((call) => call !== undefined)) {
    const { content, reasoning_content: reasoning } = last.message;
    const message = assistantFrom({ content, reasoning, toolCalls: matched });
    return { ...message, tool_calls: matched };
  }
  const message = callTools(
    batch.map(({ name, input }) => [name, input]),
    turn,
  );
  return { ...message, tool_calls: message.tool_calls ?? [] };
}

function isSame({ function: { name, arguments: text } }: ToolCall, call: OpenToolCall): boolean {
  if (name !== call.name) return false;
  try {
    return isDeepStrictEqual(JSON.parse(text || "{}"), call.input);
  } catch {
    return false;
  }
}

/** The last call with a complete reply, which is a message. */
export function lastAnswered(calls: readonly AgentCall[]): AgentCall | undefined {
  return calls.findLast(({ error, dialect }) => error === undefined && dialect !== "embeddings");
}

/** The message of an agent's final text: the model's last reply, if it has this text. */
export function finalMessage(text: string, last: AgentCall | undefined): AssistantMessage {
  const { content, reasoning_content: reasoning } = last?.message ?? {};
  if (content?.trim() !== text.trim()) return { role: "assistant", content: text };
  return assistantFrom({ content: text, reasoning, toolCalls: undefined });
}

/** The response of an agent: its message, and what the calls of the model that plays cost. */
export function responseOf(
  message: AssistantMessage,
  calls: readonly AgentCall[],
  finish: ModelResponse["finish"],
): ModelResponse {
  const own = calls.filter(({ isHelper }) => !isHelper);
  const isKnown = own.every(({ usage }) => usage !== undefined);
  const [only] = own;
  return {
    message,
    finish,
    usage: isKnown ? own.reduce((sum, { usage }) => addUsage(sum, usage), noUsage) : undefined,
    // Omits the tokens of several calls, which are not those of one message.
    tokens:
      calls.length === 1 && only?.message.content === message.content ? only.tokens : undefined,
    calls,
  };
}
