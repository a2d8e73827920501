import {
  type AssistantMessage,
  type ContentPart,
  type Message,
  type ToolCall,
  userMessage,
} from "@envs/core";
import { type ToolChoice, type ToolSpec } from "@envs/core/engine";
import { assistantFrom } from "@envs/models";

import { contentOf, mediaPart } from "../media.ts";
import { toolArguments } from "../tool-input.ts";
import type {
  AssistantBlock,
  MessagesRequest,
  ResultBlock,
  UserBlock,
  WireMessage,
} from "./schema.ts";

/** Converts a conversation of Anthropic's Messages. Results of tools become messages before the rest of their message. */
export function messagesOf({ system, messages }: MessagesRequest): readonly Message[] {
  return [
    ...(system ? [systemMessage(system)] : []),
    ...messages.flatMap((message, index) => convert(message, `messages.${index}.content`)),
  ];
}

function convert(message: WireMessage, field: string): readonly Message[] {
  if (message.role === "system") return [systemMessage(message.content)];
  if (message.role === "assistant") return [assistantOf(message.content)];
  const { content } = message;
  return typeof content === "string" ? [userMessage(content)] : userMessages(content, field);
}

function systemMessage(content: string | readonly { readonly text: string }[]): Message {
  const text =
    typeof content === "string" ? content : content.map((part) => part.text).join("\n\n");
  return { role: "system", content: text };
}

function userMessages(blocks: readonly UserBlock[], field: string): readonly Message[] {
  const messages: Message[] = [];
  const parts: ContentPart[] = [];
  for (const block of blocks) {
    if (block.type !== "tool_result") {
      parts.push(partOf(block));
      continue;
    }
    const { content } = block;
    const result = typeof content === "string" ? content : contentOf(content.map(partOf), field);
    messages.push({ role: "tool", tool_call_id: block.tool_use_id, content: result });
  }
  return parts.length === 0 ? messages : [...messages, userMessage(contentOf(parts, field))];
}

function partOf(block: ResultBlock): ContentPart {
  if (block.type === "text") return block;
  const { source, title } = block;
  if (source.type === "text") return { type: "text", text: source.data };
  if (source.type === "url") return { type: "image_url", image_url: { url: source.url } };
  return mediaPart(source.media_type, source.data, title ?? undefined);
}

function assistantOf(content: string | readonly AssistantBlock[]): AssistantMessage {
  if (typeof content === "string") return { role: "assistant", content };
  let text = "";
  let reasoning = "";
  const toolCalls: ToolCall[] = [];
  for (const block of content) {
    if (block.type === "text") text += block.text;
    else if (block.type === "thinking") reasoning += block.thinking;
    else if (block.type === "tool_use")
      toolCalls.push({
        id: block.id,
        type: "function",
        function: { name: block.name, arguments: toolArguments(block.input) },
      });
  }
  return assistantFrom({ content: text, reasoning, toolCalls });
}

/** The tools that the agent executes; `undefined` without any. Those of the provider are not offered to the model. */
export function toolsOf({ tools }: MessagesRequest): readonly ToolSpec[] | undefined {
  const own = (tools ?? []).flatMap((tool) =>
    "input_schema" in tool
      ? [
          {
            name: tool.name,
            description: tool.description ?? "",
            parameters: tool.input_schema,
          },
        ]
      : [],
  );
  return own.length === 0 ? undefined : own;
}

export function toolChoiceOf({ tool_choice: choice }: MessagesRequest): ToolChoice | undefined {
  if (!choice) return undefined;
  if (choice.type === "tool") return { name: choice.name };
  return choice.type === "any" ? "required" : choice.type;
}
