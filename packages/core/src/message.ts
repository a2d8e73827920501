/** A call of a tool, as a model writes it. `arguments` is the raw JSON text: it may be broken. */
export interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

export interface SystemMessage {
  readonly role: "system";
  readonly content: string;
}

export interface UserMessage {
  readonly role: "user";
  readonly content: string;
}

/** What a model says. `reasoning_content` holds thoughts that a server reports apart from the reply. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ToolCall[];
}

/** The answer to one {@link ToolCall}. */
export interface ToolMessage {
  readonly role: "tool";
  readonly tool_call_id: string;
  readonly content: string;
}

/** One message of a chat conversation, in the shape that chat-completions servers speak and records keep. */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** A user's message. */
export function user(content: string): UserMessage {
  return { role: "user", content };
}

/** A model's message. */
export function assistant(content: string): AssistantMessage {
  return { role: "assistant", content };
}

/** Reads a prompt: text is one user message. */
export function asMessages(prompt: string | readonly Message[]): readonly Message[] {
  return typeof prompt === "string" ? [user(prompt)] : prompt;
}

/** The model's own messages of a conversation, in order. */
export function assistantMessages(messages: readonly Message[]): readonly AssistantMessage[] {
  return messages.filter((message) => message.role === "assistant");
}

/** The text of the model's last message; empty if it said nothing yet. */
export function lastReply(messages: readonly Message[]): string {
  return messages.findLast((message) => message.role === "assistant")?.content ?? "";
}
