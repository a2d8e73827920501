import type { Content } from "./content.ts";

/** A tool call of the model. `arguments` is the JSON text as the model wrote it, which may be invalid. */
export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface SystemMessage {
  readonly role: "system";
  readonly content: string;
}

/** A message of the environment. `content` is text unless the author adds images, audio or files. */
export interface UserMessage<C extends Content = Content> {
  readonly role: "user";
  readonly content: C;
}

/** A message of the model. `reasoning_content` has the thoughts, where the server separates them from the reply. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ToolCall[];
}

/** The result of one {@link ToolCall}. */
export interface ToolMessage<C extends Content = Content> {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: C;
}

/**
 * One message of a conversation, in the format of chat-completions servers and of records. Replies and system prompts are
 * text. `Message<string>` is a message without images, audio and files.
 */
export type Message<C extends Content = Content> =
  | SystemMessage
  | UserMessage<C>
  | AssistantMessage
  | ToolMessage<C>;

/** Creates a user message: text, or parts such as `[image(bytes), { type: "text", text }]`. */
export function userMessage(content: string): UserMessage<string>;
export function userMessage(content: Content): UserMessage;
export function userMessage(content: Content): UserMessage {
  return { role: "user", content };
}

/** Creates a message of the model. */
export function assistantMessage(content: string): AssistantMessage {
  return { role: "assistant", content };
}

/**
 * Creates a message of the model that calls tools, all at once. `turn` makes the ids unique in a conversation. Input that is text
 * is written as it is, so it may be invalid JSON.
 */
export function callTools(
  calls: readonly (readonly [name: string, input: object | string])[],
  turn = 0,
): AssistantMessage {
  return {
    ...assistantMessage(""),
    tool_calls: calls.map(([name, input], index) => ({
      id: `call_${turn}_${index}`,
      type: "function",
      function: { name, arguments: typeof input === "string" ? input : JSON.stringify(input) },
    })),
  };
}

/** Returns the messages of a prompt. Text is one user message. */
export function asMessages(prompt: string | readonly Message[]): readonly Message[] {
  return typeof prompt === "string" ? [userMessage(prompt)] : prompt;
}

/** Whether a value is a list of messages that is not empty. */
export function areMessages(value: unknown): value is readonly Message[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((item: unknown) => typeof item === "object" && item !== null && "role" in item)
  );
}

/** The model's messages in a conversation, in order. */
export function repliesOf(messages: readonly Message[]): readonly AssistantMessage[] {
  return messages.filter((message) => message.role === "assistant");
}

/** The text of the model's last message; empty if the model has not written one. */
export function lastReply(messages: readonly Message[]): string {
  return messages.findLast((message) => message.role === "assistant")?.content ?? "";
}
