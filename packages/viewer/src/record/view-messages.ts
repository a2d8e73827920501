import type { ContentPart, Message, ToolCall } from "@envs/core";
import { fieldsOf, isFields, parseMediaReference, textOf } from "@envs/records";

import type { MessagePart, ViewedMessage, ViewedToolCall } from "./rollout.ts";

/** Prepares the messages of a conversation for the screen. The result of a tool often has only the id of its call. */
export function viewMessages(conversation: readonly Message[]): readonly ViewedMessage[] {
  const messages = conversation.map(viewMessage);
  const toolNames = new Map(
    messages.flatMap(({ toolCalls }) => toolCalls.map(({ id, name }) => [id, name] as const)),
  );
  return messages.map((message) => {
    const { name, toolCallId } = message;
    if (name !== undefined || toolCallId === undefined) return message;
    return Object.assign(message, { name: toolNames.get(toolCallId) });
  });
}

function viewMessage(message: Message): ViewedMessage {
  const { role, name, function: tool, error, reasoning_content, tool_call_id } = fieldsOf(message);
  const reasoning = textOf(reasoning_content) ?? "";
  const parts = viewContent(message);
  const errorText = textOf(error) ?? textOf(fieldsOf(error)["message"]) ?? "";
  const isShown = parts.some((part) => part.type === "text" && part.text === errorText);
  return {
    role: message.role,
    name: textOf(name) ?? (role === "tool" ? textOf(tool) : undefined),
    parts: [
      ...(reasoning === "" ? [] : [{ type: "thinking" as const, text: reasoning }]),
      ...parts,
      ...(errorText === "" || isShown ? [] : [{ type: "text" as const, text: errorText }]),
    ],
    toolCalls: message.role === "assistant" ? (message.tool_calls ?? []).map(viewToolCall) : [],
    toolCallId: textOf(tool_call_id),
    isError: isFields(error) || errorText !== "",
    turn: undefined,
  };
}

function viewToolCall({ id, function: called }: ToolCall): ViewedToolCall {
  return { id: textOf(id) ?? "", name: called.name, arguments: called.arguments };
}

function viewContent({ role, content }: Message): readonly MessagePart[] {
  if (typeof content !== "string") return content.map(viewPart);
  if (content === "") return [];
  return role === "assistant" ? splitThoughts(content) : [{ type: "text", text: content }];
}

function viewPart(part: ContentPart): MessagePart {
  switch (part.type) {
    case "text":
      return part;
    case "image_url":
      return { type: "image", url: part.image_url.url };
    case "input_audio": {
      const { data, format } = part.input_audio;
      const isFile = parseMediaReference(data) !== undefined;
      return { type: "audio", url: isFile ? data : `data:audio/${format};base64,${data}` };
    }
    case "file":
      return { type: "file", url: part.file.file_data, name: part.file.filename };
  }
}

/** Splits a reply at its `<think>` tags. A missing end tag extends the thought to the end. */
function splitThoughts(content: string): readonly MessagePart[] {
  const parts: MessagePart[] = [];
  let at = 0;
  for (;;) {
    const open = content.indexOf("<think>", at);
    if (open === -1) break;
    const start = open + "<think>".length;
    const close = content.indexOf("</think>", start);
    parts.push({ type: "text", text: content.slice(at, open) });
    parts.push({ type: "thinking", text: content.slice(start, close === -1 ? undefined : close) });
    at = close === -1 ? content.length : close + "</think>".length;
  }
  parts.push({ type: "text", text: content.slice(at) });
  return parts.filter(
    (part) => part.type === "thinking" || ("text" in part && part.text.trim() !== ""),
  );
}
