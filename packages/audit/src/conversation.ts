import type { Message, Rollout } from "@envs/core";
import { describeContent } from "@envs/core/engine";

/** A line of a conversation, as reports show it. */
export interface Line {
  readonly role: Message["role"];
  /** At most 2000 characters; media are described. */
  readonly text: string;
}

/** A conversation that shows a finding, as JSON. */
export interface Conversation {
  /** The peculiarity of the conversation, such as `the answer in the thoughts`. */
  readonly title: string;
  readonly exampleKey: string;
  readonly lines: readonly Line[];
  /** The reward; `null` if the rollout failed or was not scored. */
  readonly reward: number | null;
  readonly scores: Readonly<Record<string, number | null>>;
  /** Why the rollout failed. */
  readonly error?: string | undefined;
}

const maxText = 2000;

/** A played rollout as a conversation. */
export function conversationOf(title: string, rollout: Rollout): Conversation {
  const base = {
    title,
    exampleKey: rollout.exampleKey,
    lines: linesOf([...rollout.prompt, ...rollout.completion]),
  };
  if (rollout.status === "failed")
    return { ...base, reward: null, scores: {}, error: rollout.error.message };
  return { ...base, reward: rollout.reward, scores: rollout.scores };
}

/** Messages that were not played, such as two prompts that a rule compares. */
export function excerpt(
  title: string,
  exampleKey: string,
  messages: readonly Message[],
): Conversation {
  return { title, exampleKey, lines: linesOf(messages), reward: null, scores: {} };
}

/** What a report says about a conversation beside its messages: its example, its scores and why it failed. */
export function factsOf({ exampleKey, reward, scores, error }: Conversation): readonly string[] {
  const numbers = Object.entries(scores).map(([name, value]) => `${name} ${value ?? "null"}`);
  return [
    ...(exampleKey === "" ? [] : [`example ${exampleKey}`]),
    ...(reward === null ? [] : [`reward ${reward}`, ...numbers]),
    ...(error === undefined ? [] : [`failed: ${error}`]),
  ];
}

function linesOf(messages: readonly Message[]): readonly Line[] {
  return messages.map((message) => ({ role: message.role, text: shorten(textOf(message)) }));
}

/** Everything that a message says: its text, the thoughts and the tool calls. */
function textOf(message: Message): string {
  if (message.role !== "assistant") return describeContent(message.content);
  const { reasoning_content: reasoning, content, tool_calls: calls = [] } = message;
  return [
    ...(reasoning === undefined ? [] : [`(thoughts) ${reasoning}`]),
    ...(content === "" && calls.length > 0 ? [] : [content]),
    ...calls.map(({ function: { name, arguments: text } }) => `→ ${name} ${text}`),
  ].join("\n");
}

function shorten(text: string): string {
  const readable = text.toWellFormed();
  if (readable.length <= maxText) return readable;
  const rest = readable.length - maxText;
  return `${readable.slice(0, maxText / 2)} … ${rest} more characters … ${readable.slice(-maxText / 2)}`.toWellFormed();
}
