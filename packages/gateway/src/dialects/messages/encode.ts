import type {
  ContentBlock,
  Message as WireMessage,
  MessageDeltaUsage,
  RawMessageStreamEvent,
  StopReason,
  Usage,
} from "@anthropic-ai/sdk/resources/messages/messages";
import type { ModelResponse } from "@envs/core";
import type { FinishReason } from "@envs/core/engine";
import { pieces } from "@envs/models/server";

import type { ReplyContext } from "../dialect.ts";
import { toolInput } from "../tool-input.ts";

const stopReasons: Readonly<Record<FinishReason, StopReason>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

/** Writes a model's response in the format of Anthropic's Messages. */
export function messageObject(
  { message, finish, usage }: ModelResponse,
  model: string,
  { id }: ReplyContext,
): WireMessage {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content: blocksOf(message),
    stop_reason: stopReasons[finish],
    stop_sequence: null,
    stop_details: null,
    usage: usageOf(usage),
    container: null,
    diagnostics: null,
  };
}

function blocksOf({
  content,
  reasoning_content: reasoning,
  tool_calls: calls = [],
}: ModelResponse["message"]): ContentBlock[] {
  const blocks: ContentBlock[] = [];
  // The signature proves to Anthropic that its model wrote the thoughts. Clients only send it back.
  if (reasoning !== undefined)
    blocks.push({ type: "thinking", thinking: reasoning, signature: "unsigned" });
  if (content !== "") blocks.push({ type: "text", text: content, citations: null });
  for (const call of calls)
    blocks.push({
      type: "tool_use",
      id: call.id,
      name: call.function.name,
      input: toolInput(call.function.arguments),
      caller: { type: "direct" },
    });
  return blocks;
}

/** Subtracts cached tokens, which Anthropic does not count as input tokens. */
function usageOf(usage: ModelResponse["usage"]): Usage {
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens, cacheWriteTokens } = usage ?? {};
  return {
    input_tokens: Math.max(0, inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    output_tokens: outputTokens,
    cache_read_input_tokens: cacheReadTokens ?? null,
    cache_creation_input_tokens: cacheWriteTokens ?? null,
    cache_creation: null,
    inference_geo: null,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: null,
    speed: null,
  };
}

/** The events of a stream that results in `message`. */
export function messageEvents(message: WireMessage): readonly RawMessageStreamEvent[] {
  const { content, stop_reason, usage } = message;
  return [
    {
      type: "message_start",
      message: {
        ...message,
        content: [],
        stop_reason: null,
        usage: { ...usage, output_tokens: 0 },
      },
    },
    ...content.flatMap(blockEvents),
    {
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null, stop_details: null, container: null },
      usage: deltaUsage(usage),
    },
    { type: "message_stop" },
  ];
}

function blockEvents(block: ContentBlock, index: number): readonly RawMessageStreamEvent[] {
  return [
    { type: "content_block_start", index, content_block: emptyBlock(block) },
    ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta }) as const),
    { type: "content_block_stop", index },
  ];
}

type Delta = Extract<RawMessageStreamEvent, { type: "content_block_delta" }>["delta"];

function emptyBlock(block: ContentBlock): ContentBlock {
  if (block.type === "text") return { ...block, text: "" };
  if (block.type === "thinking") return { ...block, thinking: "", signature: "" };
  return block.type === "tool_use" ? { ...block, input: {} } : block;
}

function deltasOf(block: ContentBlock): readonly Delta[] {
  if (block.type === "text")
    return pieces(block.text).map((text) => ({ type: "text_delta", text }));
  if (block.type === "thinking")
    return [
      ...pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }) as const),
      { type: "signature_delta", signature: block.signature },
    ];
  if (block.type !== "tool_use") return [];
  return [{ type: "input_json_delta", partial_json: JSON.stringify(block.input) }];
}

function deltaUsage(usage: Usage): MessageDeltaUsage {
  const { cache_creation_input_tokens, cache_read_input_tokens } = usage;
  return {
    input_tokens: usage.input_tokens,
    output_tokens: usage.output_tokens,
    cache_creation_input_tokens,
    cache_read_input_tokens,
    output_tokens_details: null,
    server_tool_use: null,
  };
}
