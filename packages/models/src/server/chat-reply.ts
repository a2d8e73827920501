import type { ModelResponse } from "@envs/core";
import type { TokenTrace, Usage } from "@envs/core/engine";

import type { ChatRequest } from "./chat-request.ts";
import { type HttpReply, json } from "./http-reply.ts";

/** The fields of a reply that do not come from the model. */
export interface ReplyContext {
  readonly id: string;
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
}

/** Converts a model's response to a chat completion: one object, or server-sent events if the request is for a stream. */
export function chatReply(
  response: ModelResponse,
  request: ChatRequest,
  context: ReplyContext,
): HttpReply {
  return request.isStream
    ? streamReply(response, request, context)
    : jsonReply(response, request, context);
}

function jsonReply(
  response: ModelResponse,
  request: ChatRequest,
  context: ReplyContext,
): HttpReply {
  const { message, finish, usage } = response;
  return json(200, {
    ...context,
    object: "chat.completion",
    choices: [
      {
        index: 0,
        message: { refusal: null, ...message },
        finish_reason: finish,
        ...choiceTokens(response.tokens, request),
      },
    ],
    usage: usage && usageOf(usage),
    ...promptTokens(response.tokens, request),
  });
}

function streamReply(
  response: ModelResponse,
  request: ChatRequest,
  context: ReplyContext,
): HttpReply {
  const { message, finish, usage, tokens } = response;
  const envelope = { ...context, object: "chat.completion.chunk" };
  const chunk = (delta: object, rest: object = { finish_reason: null }): object => ({
    ...envelope,
    choices: [{ index: 0, delta, ...rest }],
  });
  const chunks = [
    { ...chunk({ role: "assistant", content: "" }), ...promptTokens(tokens, request) },
    ...pieces(message.reasoning_content ?? "").map((piece) => chunk({ reasoning_content: piece })),
    ...pieces(message.content).map((piece) => chunk({ content: piece })),
    ...(message.tool_calls ?? []).map((call, index) => chunk({ tool_calls: [{ index, ...call }] })),
    chunk({}, { finish_reason: finish, ...choiceTokens(tokens, request) }),
    ...(request.wantsUsage && usage !== undefined
      ? [{ ...envelope, choices: [], usage: usageOf(usage) }]
      : []),
  ];
  const events = chunks.map((event) => JSON.stringify(event));
  return {
    status: 200,
    headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" },
    body: [...events, "[DONE]"].map((event) => `data: ${event}\n\n`).join(""),
  };
}

/** Splits a text into words with their trailing white space. */
export function pieces(text: string): readonly string[] {
  return text === "" ? [] : text.split(/(?<=\s)(?=\S)/u);
}

function usageOf(usage: Usage): object {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const cache = { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens };
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: cacheReadTokens || cacheWriteTokens ? cache : undefined,
  };
}

function promptTokens(tokens: TokenTrace | undefined, { wantsTokenIds }: ChatRequest): object {
  if (!wantsTokenIds || tokens === undefined) return {};
  return { prompt_token_ids: tokens.promptIds, mm_placeholders: tokens.placeholders };
}

/** Token ids and log-probabilities in vLLM's format. The tokens are named by their ids, because their texts are unknown. */
function choiceTokens(
  tokens: TokenTrace | undefined,
  { wantsLogprobs, wantsTokenIds }: ChatRequest,
): object {
  const { completionIds = [], completionLogprobs = [] } = tokens ?? {};
  const content = completionLogprobs.map((logprob, index) => ({
    token: `token_id:${completionIds[index]}`,
    logprob,
    bytes: null,
    top_logprobs: [],
  }));
  return {
    logprobs: wantsLogprobs && tokens !== undefined ? { content, refusal: null } : null,
    token_ids: wantsTokenIds && tokens !== undefined ? completionIds : undefined,
  };
}
