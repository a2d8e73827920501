import { FailureError } from "@envs/cli/kit";
import { bestPolicyOf, exampleRollout } from "@envs/cli/kit/environments";
import type { Environment, Message, ToolCall } from "@envs/core";
import { describeContent, judgedScores } from "@envs/core/engine";
import { type ChatMessage, type EnvironmentManifest, manifestLimits } from "@envs/hub-client";

/**
 * Plays the first example with the best policy for the manifest. Returns only the prompt without a policy, or without a sandbox
 * that the environment requires.
 */
export async function exampleConversation(
  environment: Environment,
): Promise<EnvironmentManifest["example"]> {
  const best = bestPolicyOf(environment);
  const played = await exampleRollout(environment);
  if (played === undefined)
    throw new FailureError(
      `Cannot create an example conversation for ${environment.name}: with the default config, its dataset is empty.`,
    );
  if ("prompt" in played) return { messages: chatMessages(played.prompt) };
  const { rollout } = played;
  if (best === undefined) return { messages: chatMessages(rollout.prompt) };
  if (rollout.status === "failed")
    throw new FailureError(
      `The policy ${best} of ${environment.name} failed on the first example: ${rollout.error.message}`,
    );
  const { reward, prompt, completion } = rollout;
  const messages = chatMessages([...prompt, ...completion]);
  // Omits the reward of an environment with a judge, because it would differ from that of a run.
  return judgedScores(environment).length > 0
    ? { policy: best, messages }
    : { policy: best, reward, messages };
}

/** Copies only the fields of the manifest: a dataset's messages may have others. */
function chatMessages(messages: readonly Message[]): ChatMessage[] {
  return messages.slice(0, manifestLimits.messages).map((message) => chatMessage(message));
}

function chatMessage(message: Message): ChatMessage {
  const content = shorten(describeContent(message.content));
  if (message.role === "tool") return { role: "tool", tool_call_id: message.tool_call_id, content };
  if (message.role !== "assistant") return { role: message.role, content };
  const { reasoning_content: reasoning, tool_calls: calls } = message;
  return {
    role: "assistant",
    content,
    ...(reasoning === undefined ? {} : { reasoning_content: shorten(reasoning) }),
    ...(calls === undefined ? {} : { tool_calls: calls.map((call) => toolCall(call)) }),
  };
}

function toolCall({ id, function: { name, arguments: text } }: ToolCall) {
  return { id, type: "function" as const, function: { name, arguments: shorten(text) } };
}

/** Shortens long text, and replaces characters that PostgreSQL cannot store. Imported chats may have `null` as content. */
function shorten(raw: string | null): string {
  const text = (raw ?? "").replaceAll("\0", "\uFFFD").toWellFormed();
  const { messageLength } = manifestLimits;
  if (text.length <= messageLength) return text;
  const mark = ` … (${text.length} characters in total)`;
  return text.slice(0, messageLength - mark.length).toWellFormed() + mark;
}
