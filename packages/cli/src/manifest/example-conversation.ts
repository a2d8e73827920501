import type { Environment, Message, Rollout, ToolCall } from "@envs/core";
import { type ChatMessage, type EnvironmentManifest, manifestLimits } from "@envs/hub-client";
import { FailureError } from "@envs/terminal";

import { bestPolicyOf, exampleRollout } from "../environments/example-rollout.ts";

/** A conversation to show: the best policy's with the first example, or the prompt alone where there is no policy. */
export async function exampleOf(environment: Environment): Promise<EnvironmentManifest["example"]> {
  const best = bestPolicyOf(environment);
  const played = await exampleRollout(environment);
  if (played === undefined)
    throw new FailureError(
      `${environment.name} has no example to show: with its default config, its dataset is empty.`,
    );
  if (best === undefined) return { messages: shortened(played.prompt) };
  if (played.status === "failed")
    throw new FailureError(
      `The policy ${best} of ${environment.name} cannot play the first example: ${played.error.message}`,
    );
  return { policy: best, reward: played.reward, messages: shortened(conversationOf(played)) };
}

function conversationOf({ prompt, completion }: Rollout): readonly Message[] {
  return [...prompt, ...completion];
}

function shortened(messages: readonly Message[]): ChatMessage[] {
  return messages.slice(0, manifestLimits.messages).map((message) => shown(message));
}

/** The fields that a manifest has: rows of a dataset may carry others. */
function shown(message: Message): ChatMessage {
  const content = cut(message.content);
  if (message.role === "tool") return { role: "tool", tool_call_id: message.tool_call_id, content };
  if (message.role !== "assistant") return { role: message.role, content };
  const { reasoning_content: thoughts, tool_calls: calls } = message;
  return {
    role: "assistant",
    content,
    ...(thoughts === undefined ? {} : { reasoning_content: cut(thoughts) }),
    ...(calls === undefined ? {} : { tool_calls: calls.map((call) => shownCall(call)) }),
  };
}

function shownCall({ id, function: { name, arguments: text } }: ToolCall) {
  return { id, type: "function" as const, function: { name, arguments: cut(text) } };
}

/** Leaves out the end of what is too long, and what a database cannot keep. Chats from elsewhere may have no text. */
function cut(given: string | null): string {
  const text = (given ?? "").replaceAll("\0", "\uFFFD").toWellFormed();
  const { messageLength } = manifestLimits;
  if (text.length <= messageLength) return text;
  const mark = ` … (${text.length} characters in all)`;
  return text.slice(0, messageLength - mark.length).toWellFormed() + mark;
}
