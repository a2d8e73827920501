import type { Message, ToolCall } from "@envs/core";
import { areContentParts, isMediaPart, omitUndefined } from "@envs/core/engine";

/**
 * Converts a stored message to a {@link Message}. Other writers omit `content` beside tool calls, write text as a list of parts,
 * name the reasoning `reasoning`, and write tool calls without nesting or as JSON text. A valid message is returned unchanged.
 */
export function readMessage(stored: Message): Message {
  const {
    content,
    reasoning,
    reasoning_content: thoughts,
    tool_calls: calls,
  } = stored as unknown as StoredMessage;
  const isValid =
    (typeof content === "string" || hasMedia(stored)) &&
    reasoning === undefined &&
    thoughts !== null &&
    (calls === undefined || (Array.isArray(calls) && calls.every(isToolCall)));
  if (isValid) return stored;
  const fields = Object.entries(stored).filter(([, value]) => value !== null);
  return {
    ...Object.fromEntries(fields),
    content: hasMedia(stored) ? content : textOf(content),
    ...omitUndefined({
      reasoning_content: typeof reasoning === "string" ? (thoughts ?? reasoning) : undefined,
      tool_calls: Array.isArray(calls) ? calls.map(readToolCall) : undefined,
    }),
  } as Message;
}

/** Converts a message that a model received. Its parts stay parts, also if all are text, so that the request can be repeated. */
export function readSentMessage(stored: Message): Message {
  const { role, content } = stored;
  const hasParts = (role === "user" || role === "tool") && areContentParts(content);
  return hasParts ? stored : readMessage(stored);
}

interface StoredMessage {
  readonly content?: unknown;
  readonly reasoning?: unknown;
  readonly reasoning_content?: unknown;
  readonly tool_calls?: unknown;
}

/** Whether the content is a list of parts that a message of this role can have, and one of them is not text. */
function hasMedia({ role, content }: Message): boolean {
  return (
    (role === "user" || role === "tool") && areContentParts(content) && content.some(isMediaPart)
  );
}

/** Converts a content to text. Of a list of parts, a part without text becomes its type in brackets: `[image_url]`. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (!Array.isArray(content)) return JSON.stringify(content);
  return content
    .map((part: unknown) => {
      if (typeof part === "string") return part;
      const { type, text } = (part ?? {}) as { readonly type?: unknown; readonly text?: unknown };
      return typeof text === "string" ? text : `[${typeof type === "string" ? type : "part"}]`;
    })
    .join("");
}

function isToolCall(call: unknown): call is ToolCall {
  if (typeof call !== "object" || call === null || !("function" in call)) return false;
  const { function: called } = call as { readonly function: Partial<ToolCall["function"]> | null };
  return typeof called?.name === "string" && typeof called.arguments === "string";
}

function readToolCall(call: unknown, index: number): ToolCall {
  const stored = typeof call === "string" ? parseOrText(call) : call;
  if (isToolCall(stored)) return stored;
  const { id, name, arguments: flat, function: nested } = (stored ?? {}) as FlatCall;
  const toolName = nested?.name ?? name;
  const input = nested?.arguments ?? flat ?? "";
  return {
    id: typeof id === "string" ? id : String(index),
    type: "function",
    function: {
      name: typeof toolName === "string" ? toolName : "unknown",
      arguments: typeof input === "string" ? input : JSON.stringify(input),
    },
  };
}

interface FlatCall {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { arguments: text };
  }
}
