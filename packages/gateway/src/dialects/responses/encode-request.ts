import {
  type AssistantMessage,
  type Content,
  type ContentPart,
  type Message,
  type ModelRequest,
  RolloutError,
} from "@envs/core";
import { mergeSampling, type ReplyFormat, type ToolChoice, type ToolSpec } from "@envs/core/engine";
import { type ServerOptions } from "@envs/models";
import type {
  FunctionTool,
  ResponseCreateParamsNonStreaming,
  ResponseFormatTextConfig,
  ResponseInputFile,
  ResponseInputImage,
  ResponseInputItem,
  ResponseInputText,
  ToolChoiceFunction,
  ToolChoiceOptions,
} from "openai/resources/responses/responses";

import { unsupportedMedia } from "../media.ts";
import { splitSystem } from "../system.ts";

/** Writes a request in the format of OpenAI's Responses. The format has neither a seed nor texts that end a reply. */
export function responsesBody(
  name: string,
  { messages, tools, toolChoice, format, sampling }: ModelRequest,
  { sampling: defaults, keepReasoning = false }: ServerOptions,
): ResponseCreateParamsNonStreaming {
  const { temperature, topP, maxTokens, stop } = mergeSampling(defaults, sampling);
  if (stop !== undefined && stop.length > 0) throw noStop(stop);
  const { system, rest } = splitSystem(messages);
  return {
    model: name,
    ...(system !== undefined && { instructions: system }),
    input: rest.flatMap((message, index) => itemsOf(message, { index, keepReasoning })),
    ...(tools && { tools: tools.map(toolOf) }),
    ...(toolChoice && { tool_choice: choiceOf(toolChoice) }),
    ...(format && { text: { format: formatOf(format) } }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
    // Each request has the whole conversation.
    store: false,
  };
}

function noStop(stop: readonly string[]): RolloutError {
  return new RolloutError(
    "model",
    `The Responses API has no texts that end a reply, and the sampling has ${JSON.stringify(stop)}. Remove stop, or use chat completions.`,
    { isFatal: true },
  );
}

interface ItemContext {
  readonly index: number;
  readonly keepReasoning: boolean;
}

function itemsOf(message: Message, context: ItemContext): readonly ResponseInputItem[] {
  if (message.role === "assistant") return replyItems(message, context);
  if (message.role === "tool") {
    const { tool_call_id: call_id, content } = message;
    return [{ type: "function_call_output", call_id, output: contentOf(content) }];
  }
  const { role, content } = message;
  return [{ type: "message", role, content: contentOf(content) }];
}

function replyItems(
  { content, reasoning_content: reasoning, tool_calls: calls = [] }: AssistantMessage,
  { index, keepReasoning }: ItemContext,
): readonly ResponseInputItem[] {
  const items: ResponseInputItem[] = [];
  if (keepReasoning && reasoning !== undefined)
    items.push({
      type: "reasoning",
      id: `rs_${index}`,
      summary: [{ type: "summary_text", text: reasoning }],
    });
  if (content !== "" || calls.length === 0)
    items.push({ type: "message", role: "assistant", content });
  for (const { id, function: called } of calls)
    items.push({ type: "function_call", call_id: id, ...called });
  return items;
}

type Part = ResponseInputText | ResponseInputImage | ResponseInputFile;

function contentOf(content: Content): string | Part[] {
  return typeof content === "string" ? content : content.map(partOf);
}

function partOf(part: ContentPart): Part {
  switch (part.type) {
    case "text":
      return { type: "input_text", text: part.text };
    case "image_url": {
      const { url, detail = "auto" } = part.image_url;
      return { type: "input_image", image_url: url, detail };
    }
    case "file":
      return { type: "input_file", ...part.file };
    case "input_audio":
      throw unsupportedMedia(part, "The Responses API");
  }
}

function toolOf({ name, description, parameters }: ToolSpec): FunctionTool {
  return { type: "function", name, description, parameters, strict: false };
}

function choiceOf(choice: ToolChoice): ToolChoiceOptions | ToolChoiceFunction {
  return typeof choice === "string" ? choice : { type: "function", name: choice.name };
}

function formatOf(format: ReplyFormat): ResponseFormatTextConfig {
  if (format.type === "json") return { type: "json_object" };
  const { name, schema } = format;
  return { type: "json_schema", name, schema, strict: true };
}
