import { type AssistantMessage, type ModelRequest, type ModelResponse } from "@envs/core";
import { omitUndefined, type TokenTrace, type Usage } from "@envs/core/engine";
import * as z from "zod";

import { errorDetail } from "../http/error-detail.ts";
import { type ServerContext, type ServerError, serverError } from "../http/server-error.ts";
import { assistantFrom } from "./assistant-from.ts";
import { replyEnd } from "./finish-reason.ts";
import { interruptedReply, invalidReply, parseReply } from "./parse-reply.ts";
import { createToolCalls } from "./tool-call-ids.ts";

const optional = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

const toolCall = z.object({
  id: optional(z.string()),
  function: z.object({ name: z.string(), arguments: z.unknown().optional() }),
});

const textPart = z.object({ type: optional(z.string()), text: optional(z.string()) });
const textParts = z.array(z.union([z.string().transform((text) => ({ text })), textPart]));

/** A part of a content. Mistral puts its thoughts there. */
const contentPart = z.union([
  z.string().transform((text) => ({ text })),
  textPart.extend({ thinking: optional(z.union([z.string(), textParts])) }),
]);

type ContentPart = z.output<typeof contentPart>;

const message = z.object({
  content: z.union([z.string(), z.array(contentPart)]).nullish(),
  refusal: optional(z.string()),
  reasoning_content: optional(z.string()),
  reasoning: optional(z.string()),
  reasoning_details: optional(z.array(textPart)),
  tool_calls: z.array(toolCall).nullish(),
});

const count = z.number().nonnegative();

/** The fields of a chat completion that this package reads: those of OpenAI, vLLM, DeepSeek and OpenRouter. */
const chatCompletion = z.object({
  choices: z
    .array(
      z.object({
        index: optional(z.number()),
        finish_reason: optional(z.string()),
        error: z.unknown().optional(),
        message: message.nullish(),
        logprobs: optional(z.object({ content: z.array(z.object({ logprob: z.number() })) })),
        token_ids: optional(z.array(z.int())),
      }),
    )
    .min(1),
  error: z.unknown().optional(),
  usage: optional(
    z.object({
      prompt_tokens: count,
      completion_tokens: count,
      prompt_tokens_details: optional(
        z.object({ cached_tokens: optional(count), cache_write_tokens: optional(count) }),
      ),
    }),
  ),
  prompt_token_ids: optional(z.array(z.int())),
  mm_placeholders: optional(
    z.record(z.string(), z.array(z.object({ offset: z.int(), length: z.int() }))),
  ),
});

type ChatCompletion = z.output<typeof chatCompletion>;
type Choice = ChatCompletion["choices"][number];

const noun = "a chat completion";

/** Parses a chat completion. Throws a `ServerError` if it is invalid, incomplete, or contains an error. */
export function readCompletion(
  body: unknown,
  { messages }: ModelRequest,
  context: ServerContext,
): ModelResponse {
  const completion = parseReply(chatCompletion, body, { ...context, noun });
  const { choices, usage } = completion;
  const choice = choices.find(({ index }) => index === 0) ?? choices[0]!;
  const end = replyEnd(choice.finish_reason);
  if (end === "error" || choice.error) throw interrupted(choice, context);
  if (!choice.message && end === "stop")
    throw invalidReply("The choice has no message.", { ...context, noun });

  const { content = null, refusal, tool_calls: calls } = choice.message ?? {};
  const received = (calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
    id,
    name,
    input,
  }));
  const toolCalls = createToolCalls(received, messages);
  const text = textOf(content) || (refusal ?? "");
  const finish = refusal ? "content_filter" : end;
  return {
    message: assistantFrom({ content: text, reasoning: reasoningOf(choice.message), toolCalls }),
    finish: finish === "stop" && toolCalls.length > 0 ? "tool_calls" : finish,
    usage: usage ? readUsage(usage) : undefined,
    tokens: readTokens(choice, completion),
  };
}

function readUsage(usage: NonNullable<ChatCompletion["usage"]>): Usage {
  return omitUndefined({
    inputTokens: usage.prompt_tokens,
    outputTokens: usage.completion_tokens,
    cacheReadTokens: usage.prompt_tokens_details?.cached_tokens || undefined,
    cacheWriteTokens: usage.prompt_tokens_details?.cache_write_tokens || undefined,
  });
}

/** The provider failed after it had written a part of the reply. */
function interrupted(
  { error, finish_reason: reason }: Choice,
  context: ServerContext,
): ServerError {
  const detail = errorDetail({ error });
  return detail === undefined
    ? interruptedReply(String(reason), context)
    : serverError(detail, context);
}

function reasoningOf(message: Choice["message"]): AssistantMessage["reasoning_content"] {
  if (!message) return undefined;
  const {
    content,
    reasoning_content: first,
    reasoning: second,
    reasoning_details: parts,
  } = message;
  return first || second || textOf(parts) || thoughtsOf(content) || undefined;
}

function textOf(content: string | readonly ContentPart[] | null | undefined): string {
  if (typeof content === "string") return content;
  return content?.map(({ text }) => text ?? "").join("") ?? "";
}

function thoughtsOf(content: string | readonly ContentPart[] | null | undefined): string {
  if (!Array.isArray(content)) return "";
  return (content as readonly ContentPart[])
    .map((part) => ("thinking" in part ? textOf(part.thinking) : ""))
    .join("");
}

function readTokens(
  choice: Choice,
  { prompt_token_ids: promptIds, mm_placeholders: placeholders }: ChatCompletion,
): TokenTrace | undefined {
  const completionIds = choice.token_ids;
  const completionLogprobs = choice.logprobs?.content.map(({ logprob }) => logprob);
  if (!promptIds || !completionIds || completionIds.length !== completionLogprobs?.length)
    return undefined;
  const tokens = { promptIds, completionIds, completionLogprobs };
  return placeholders ? { ...tokens, placeholders } : tokens;
}
