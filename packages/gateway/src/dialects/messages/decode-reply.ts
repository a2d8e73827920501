import type { ModelRequest, ModelResponse } from "@envs/core";
import { type Usage } from "@envs/core/engine";
import {
  assistantFrom,
  createToolCalls,
  interruptedReply,
  parseReply,
  replyEnd,
  type ServerContext,
} from "@envs/models";
import * as z from "zod";

import { toolArguments } from "../tool-input.ts";

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
});

const count = z.number().nonnegative();
const optionalCount = count.nullish().catch(undefined);

/** The fields of a message that are read. Blocks of tools that Anthropic executes are left out. */
const messageReply = z.looseObject({
  error: z.unknown().optional(),
  content: z.array(block),
  stop_reason: z.string().nullish(),
  usage: z
    .looseObject({
      input_tokens: count,
      output_tokens: count,
      cache_read_input_tokens: optionalCount,
      cache_creation_input_tokens: optionalCount,
    })
    .nullish()
    .catch(undefined),
});

type Reply = z.output<typeof messageReply>;

/** Reads a reply of Anthropic's Messages. */
export function readMessage(
  body: unknown,
  { messages }: Pick<ModelRequest, "messages">,
  context: ServerContext,
): ModelResponse {
  const reply = parseReply(messageReply, body, { ...context, noun: "a message" });
  const end = replyEnd(reply.stop_reason);
  if (end === "error") throw interruptedReply(String(reply.stop_reason), context);
  const received = reply.content
    .filter(({ type }) => type === "tool_use")
    .map(({ id, name = "", input }) => ({ id, name, input: toolArguments(input) }));
  const toolCalls = createToolCalls(received, messages);
  const content = reply.content.map(({ type, text }) => (type === "text" ? (text ?? "") : ""));
  const reasoning = reply.content.map(({ thinking = "" }) => thinking).join("");
  return {
    message: assistantFrom({ content: content.join(""), reasoning, toolCalls }),
    finish: end === "stop" && toolCalls.length > 0 ? "tool_calls" : end,
    usage: reply.usage ? usageOf(reply.usage) : undefined,
  };
}

/** Adds cached tokens, which Anthropic does not count as input tokens. */
function usageOf(usage: NonNullable<Reply["usage"]>): Usage {
  const cacheReadTokens = usage.cache_read_input_tokens ?? 0;
  const cacheWriteTokens = usage.cache_creation_input_tokens ?? 0;
  return {
    inputTokens: usage.input_tokens + cacheReadTokens + cacheWriteTokens,
    outputTokens: usage.output_tokens,
    ...(cacheReadTokens > 0 && { cacheReadTokens }),
    ...(cacheWriteTokens > 0 && { cacheWriteTokens }),
  };
}
