import type {
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  MessageCreateParamsNonStreaming,
  MessageParam,
  TextBlockParam,
  Tool,
  ToolChoice as WireChoice,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { AssistantMessage, Content, ContentPart, Message, ModelRequest } from "@envs/core";
import { mergeSampling, type ToolChoice, type ToolSpec } from "@envs/core/engine";
import { type ServerOptions } from "@envs/models";

import { mediaSource, unsupportedMedia } from "../media.ts";
import { splitSystem } from "../system.ts";
import { toolInput } from "../tool-input.ts";

/** The API requires a limit of tokens. */
const defaultMaxTokens = 8_192;

/** Writes a request in the format of Anthropic's Messages. The format has no seed, and no JSON without a schema. */
export function messagesBody(
  name: string,
  { messages, tools, toolChoice, format, sampling }: ModelRequest,
  { sampling: defaults, keepReasoning = false }: ServerOptions,
): Partial<MessageCreateParamsNonStreaming> {
  const { temperature, topP, maxTokens, stop } = mergeSampling(defaults, sampling);
  const { system, rest } = splitSystem(messages);
  return {
    model: name,
    max_tokens: maxTokens ?? defaultMaxTokens,
    ...(system !== undefined && { system }),
    messages: messagesOf(rest, keepReasoning),
    ...(tools && { tools: tools.map(toolOf) }),
    ...(toolChoice && { tool_choice: choiceOf(toolChoice) }),
    ...(format?.type === "schema" && {
      output_config: { format: { type: "json_schema", schema: { ...format.schema } } },
    }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(stop && { stop_sequences: [...stop] }),
  };
}

/** The results of a message's tool calls must be in one message. */
function messagesOf(messages: readonly Message[], keepReasoning: boolean): MessageParam[] {
  const written: MessageParam[] = [];
  let results: ToolResultBlockParam[] | undefined;
  for (const message of messages) {
    if (message.role === "tool") {
      if (results === undefined) written.push({ role: "user", content: (results = []) });
      results.push({
        type: "tool_result",
        tool_use_id: message.tool_call_id,
        content: contentOf(message.content),
      });
      continue;
    }
    results = undefined;
    if (message.role === "system") written.push({ role: "system", content: message.content });
    else if (message.role === "user")
      written.push({ role: "user", content: contentOf(message.content) });
    else written.push({ role: "assistant", content: blocksOf(message, keepReasoning) });
  }
  return written;
}

type Block = TextBlockParam | ImageBlockParam | DocumentBlockParam;

function contentOf(content: Content): string | Block[] {
  return typeof content === "string" ? content : content.map(blockOf);
}

function blockOf(part: ContentPart): Block {
  if (part.type === "text") return { type: "text", text: part.text };
  const source = mediaSource(part);
  if ("url" in source) return { type: "image", source: { type: "url", url: source.url } };
  const { mediaType, base64: data, filename } = source;
  // The types list only known formats. A server reports a format that it does not accept.
  const base64 = { type: "base64", media_type: mediaType as never, data } as const;
  if (mediaType.startsWith("image/")) return { type: "image", source: base64 };
  if (part.type === "input_audio") throw unsupportedMedia(part, "Anthropic's Messages API");
  return { type: "document", source: base64, ...(filename !== undefined && { title: filename }) };
}

function blocksOf(
  { content, reasoning_content: reasoning, tool_calls: calls = [] }: AssistantMessage,
  keepReasoning: boolean,
): string | ContentBlockParam[] {
  const thoughts = keepReasoning ? reasoning : undefined;
  if (thoughts === undefined && calls.length === 0) return content;
  return [
    ...(thoughts === undefined
      ? []
      : [{ type: "thinking" as const, thinking: thoughts, signature: "unsigned" }]),
    ...(content === "" ? [] : [{ type: "text" as const, text: content }]),
    ...calls.map(({ id, function: { name, arguments: input } }) => ({
      type: "tool_use" as const,
      id,
      name,
      input: toolInput(input),
    })),
  ];
}

function toolOf({ name, description, parameters }: ToolSpec): Tool {
  return { name, description, input_schema: { ...parameters, type: "object" } };
}

function choiceOf(choice: ToolChoice): WireChoice {
  if (typeof choice !== "string") return { type: "tool", name: choice.name };
  return { type: choice === "required" ? "any" : choice };
}
