import type { AssistantMessage, ContentPart, Message, ToolCall } from "@envs/core";
import { areContentParts, isMediaPart, omitUndefined, type ToolSpec } from "@envs/core/engine";

import { type Fields, fieldsOf, isFields, listOf, shownText, textOf } from "./json.ts";

/** The role of a message whose record does not name one. */
type DefaultRole = "user" | "assistant";

/** Reads a conversation. Text is one message of `role`; an empty text is an empty conversation. */
export function readMessages(value: unknown, role: DefaultRole): readonly Message[] {
  if (typeof value === "string") return value === "" ? [] : [{ role, content: value }];
  return listOf(value).map((message) => readMessage(message, role));
}

/** Reads the reply of a model. */
export function readReply(value: unknown): AssistantMessage {
  return readMessage(value ?? { content: "" }, "assistant") as AssistantMessage;
}

/** Reads what a model received. Parts stay parts, also if all are text, so that the request can be repeated. */
export function readSentMessages(value: unknown): readonly Message[] {
  return listOf(value).map((stored) => {
    const { role, content } = fieldsOf(stored);
    const hasParts = (role === "user" || role === "tool") && areContentParts(content);
    return hasParts ? (stored as Message) : readMessage(stored, "user");
  });
}

/**
 * Converts a stored message to a {@link Message}. Other writers omit `content` beside tool calls, write text, thoughts and
 * pictures as other parts, name the reasoning `reasoning`, and write tool calls without nesting or as JSON text. A
 * valid message is returned unchanged.
 */
export function readMessage(stored: unknown, role: DefaultRole): Message {
  if (isMessage(stored)) return stored;
  const fields = isFields(stored) ? stored : { content: shownText(stored) };
  const { content, reasoning, reasoning_content: stated, tool_calls: calls } = fields;
  const own = textOf(fields["role"]) ?? role;
  const parts = Array.isArray(content) ? content.map(readPart) : undefined;
  const thoughts = parts?.flatMap((part) => (part.type === "thought" ? [part.text] : [])) ?? [];
  const shown = parts?.filter((part) => part.type !== "thought");
  const hasMedia = (own === "user" || own === "tool") && shown?.some(isMediaPart) === true;
  return {
    ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
    role: own,
    content: hasMedia ? shown : (shown?.map(textOfPart).join("") ?? shownText(content)),
    ...omitUndefined({
      reasoning_content: textOf(stated) ?? textOf(reasoning) ?? joined(thoughts),
      tool_calls: Array.isArray(calls) ? calls.map(readToolCall) : undefined,
    }),
  } as Message;
}

/** Reads the tools that a model could call; `undefined` if the record does not list them. */
export function readToolSpecs(value: unknown): readonly ToolSpec[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.map(fieldsOf).map((spec) => ({
    name: textOf(spec["name"]) ?? "unknown",
    description: textOf(spec["description"]) ?? "",
    parameters: fieldsOf(spec["parameters"]),
  }));
}

function isMessage(stored: unknown): stored is Message {
  if (!isFields(stored) || typeof stored["role"] !== "string") return false;
  const { role, content, reasoning, reasoning_content: thoughts, tool_calls: calls } = stored;
  const hasMedia =
    (role === "user" || role === "tool") && areContentParts(content) && content.some(isMediaPart);
  return (
    (typeof content === "string" || hasMedia) &&
    reasoning === undefined &&
    thoughts !== null &&
    (calls === undefined || (Array.isArray(calls) && calls.every(isToolCall)))
  );
}

function joined(texts: readonly string[]): string | undefined {
  return texts.length === 0 ? undefined : texts.join("\n");
}

/** Reads a part of a content. One of an unknown form becomes its type in brackets: `[video]`. */
function readPart(
  part: unknown,
): ContentPart | { readonly type: "thought"; readonly text: string } {
  if (typeof part === "string") return { type: "text", text: part };
  const fields = fieldsOf(part);
  const type = textOf(fields["type"]) ?? "part";
  const text = textOf(fields["text"]);
  if (type === "reasoning" || type === "thinking") {
    const thoughts = textOf(fields["reasoning"]) ?? textOf(fields["thinking"]) ?? text ?? "";
    const shown = fields["redacted"] === true ? textOf(fields["summary"]) : thoughts;
    return { type: "thought", text: shown ?? "(redacted by the provider)" };
  }
  if (text !== undefined) return { type: "text", text };
  if (areContentParts([part])) return part as ContentPart;
  const url = imageAddress(fields);
  return url === undefined
    ? { type: "text", text: `[${type}]` }
    : { type: "image_url", image_url: { url } };
}

/** The address of a picture: `image_url` as text, `image` of Inspect, `source` of Anthropic's messages. */
function imageAddress({ image_url: address, image, source }: Fields): string | undefined {
  const { media_type: mediaType, data } = fieldsOf(source);
  const isSource = typeof mediaType === "string" && typeof data === "string";
  return (
    textOf(address) ?? textOf(image) ?? (isSource ? `data:${mediaType};base64,${data}` : undefined)
  );
}

function textOfPart(part: ContentPart | { readonly type: "thought" }): string {
  return part.type === "text" ? part.text : `[${part.type}]`;
}

function isToolCall(call: unknown): call is ToolCall {
  const { name, arguments: input } = fieldsOf(fieldsOf(call)["function"]);
  return typeof name === "string" && typeof input === "string";
}

/** Reads a tool call. Other writers do not nest it, write it as JSON text, or its arguments as an object. */
function readToolCall(call: unknown, index: number): ToolCall {
  const stored = typeof call === "string" ? parseOrText(call) : call;
  if (isToolCall(stored)) return stored;
  const fields = fieldsOf(stored);
  const nested = fieldsOf(fields["function"]);
  const input = nested["arguments"] ?? fields["arguments"] ?? fields["input"] ?? "";
  return {
    id: textOf(fields["id"]) ?? String(index),
    type: "function",
    function: {
      name:
        textOf(nested["name"]) ?? textOf(fields["function"]) ?? textOf(fields["name"]) ?? "unknown",
      arguments: shownText(input),
    },
  };
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { arguments: text };
  }
}
