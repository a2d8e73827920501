import type { Message, ToolCall } from "../message.ts";

/**
 * Brings a stored message into our shape. Other writers leave out `content` beside tool calls, write it as a list of
 * parts, name the reasoning `reasoning`, and write tool calls flat or as JSON text. A message of ours stays as it is.
 */
export function readMessage(stored: Message): Message {
  const {
    content,
    reasoning,
    reasoning_content: thoughts,
    tool_calls: calls,
  } = stored as unknown as StoredMessage;
  const isOurs =
    typeof content === "string" &&
    reasoning === undefined &&
    thoughts !== null &&
    (calls === undefined || (Array.isArray(calls) && calls.every(isToolCall)));
  if (isOurs) return stored;
  const given = Object.entries(stored).filter(([, value]) => value !== null);
  return {
    ...Object.fromEntries(given),
    content: textOf(content),
    ...(typeof reasoning === "string" ? { reasoning_content: thoughts ?? reasoning } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(readToolCall) } : {}),
  } as Message;
}

interface StoredMessage {
  readonly content?: unknown;
  readonly reasoning?: unknown;
  readonly reasoning_content?: unknown;
  readonly tool_calls?: unknown;
}

/** The text of a content that is a list of parts; parts without text are named: `[image_url]`. */
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
  const stored = typeof call === "string" ? parsed(call) : call;
  if (isToolCall(stored)) return stored;
  const { id, name, arguments: flat, function: nested } = (stored ?? {}) as FlatCall;
  const called = nested?.name ?? name;
  const given = nested?.arguments ?? flat ?? "";
  return {
    id: typeof id === "string" ? id : String(index),
    type: "function",
    function: {
      name: typeof called === "string" ? called : "unknown",
      arguments: typeof given === "string" ? given : JSON.stringify(given),
    },
  };
}

interface FlatCall {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { arguments: text };
  }
}
