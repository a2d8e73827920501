import { type AssistantMessage, type Content, type ContentPart, type Message } from "@envs/core";
import { parseJson } from "@envs/core/engine";

type Part = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A message in the form of the conventions. */
interface ConventionalMessage {
  readonly role: Message["role"];
  readonly parts: readonly Part[];
  readonly finish_reason?: string;
}

/** The messages that a model received. */
export function inputMessages(messages: readonly Message[]): readonly ConventionalMessage[] {
  return messages.map((message) => ({ role: message.role, parts: partsOf(message) }));
}

/** The reply of a model. */
export function outputMessages(
  reply: AssistantMessage,
  finish: string,
): readonly ConventionalMessage[] {
  return [{ role: "assistant", parts: partsOf(reply), finish_reason: finishReason(finish) }];
}

/** The finish reason by the name that the conventions have for it. */
export function finishReason(finish: string): string {
  return finish === "tool_calls" ? "tool_call" : finish;
}

/** The arguments of a tool call: JSON if the model wrote valid JSON, else its text. */
function argumentsOf(text: string): unknown {
  return parseJson(text) ?? text;
}

function partsOf(message: Message): readonly Part[] {
  if (message.role === "tool")
    return [
      { type: "tool_call_response", id: message.tool_call_id, response: resultOf(message.content) },
    ];
  if (message.role !== "assistant") return contentParts(message.content);
  const { content, reasoning_content: reasoning, tool_calls: calls = [] } = message;
  return [
    ...(reasoning === undefined ? [] : [{ type: "reasoning", content: reasoning }]),
    ...(content === "" ? [] : [{ type: "text", content }]),
    ...calls.map(({ id, function: { name, arguments: text } }) => ({
      type: "tool_call",
      id,
      name,
      arguments: argumentsOf(text),
    })),
  ];
}

function resultOf(content: Content): unknown {
  return typeof content === "string" ? content : contentParts(content);
}

function contentParts(content: Content): readonly Part[] {
  return typeof content === "string" ? [{ type: "text", content }] : content.map(contentPart);
}

function contentPart(part: ContentPart): Part {
  switch (part.type) {
    case "text":
      return { type: "text", content: part.text };
    case "image_url":
      return mediaPart("image", part.image_url.url);
    case "file":
      return mediaPart("document", part.file.file_data);
    case "input_audio": {
      const { data, format } = part.input_audio;
      return { type: "blob", modality: "audio", mime_type: `audio/${format}`, content: data };
    }
  }
}

function mediaPart(modality: string, url: string): Part {
  const { type, data } = /^data:(?<type>[^;,]*);base64,(?<data>.*)$/su.exec(url)?.groups ?? {};
  return data === undefined
    ? { type: "uri", modality, uri: url }
    : { type: "blob", modality, mime_type: type, content: data };
}
