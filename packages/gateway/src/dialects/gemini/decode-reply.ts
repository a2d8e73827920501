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
import { textsOf } from "./parts.ts";

const loose = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);

const part = z.looseObject({
  text: loose(z.string()),
  thought: loose(z.boolean()),
  functionCall: loose(
    z.looseObject({ id: loose(z.string()), name: z.string(), args: z.unknown().optional() }),
  ),
});

const count = loose(z.number().nonnegative());

/** The fields of a reply that are read. Parts of tools that Google executes are left out. */
const contentReply = z.looseObject({
  error: z.unknown().optional(),
  candidates: loose(
    z.array(
      z.looseObject({
        content: loose(z.looseObject({ parts: loose(z.array(part)) })),
        finishReason: loose(z.string()),
      }),
    ),
  ),
  promptFeedback: loose(z.looseObject({ blockReason: loose(z.string()) })),
  usageMetadata: loose(
    z.looseObject({
      promptTokenCount: count,
      toolUsePromptTokenCount: count,
      candidatesTokenCount: count,
      thoughtsTokenCount: count,
      cachedContentTokenCount: count,
    }),
  ),
});

type Reply = z.output<typeof contentReply>;

/** Reads a reply of Gemini's generateContent. */
export function readContent(
  body: unknown,
  { messages }: Pick<ModelRequest, "messages">,
  context: ServerContext,
): ModelResponse {
  // Rejects other objects, which would count as replies without candidates.
  const schema = contentReply.refine(
    ({ candidates, promptFeedback, error }) => candidates ?? promptFeedback ?? error,
    "It has neither candidates nor feedback on the prompt.",
  );
  const reply = parseReply(schema, body, { ...context, noun: "a generated content" });
  const { candidates, promptFeedback, usageMetadata: usage } = reply;
  const [candidate] = candidates ?? [];
  const isBlocked = candidate === undefined && promptFeedback?.blockReason != null;
  const end = isBlocked ? "content_filter" : replyEnd(candidate?.finishReason);
  if (end === "error") throw interruptedReply(String(candidate?.finishReason), context);
  const parts = candidate?.content?.parts ?? [];
  const received = parts
    .flatMap(({ functionCall }) => functionCall ?? [])
    .map(({ id, name, args }) => ({ id, name, input: toolArguments(args) }));
  const toolCalls = createToolCalls(received, messages);
  return {
    message: assistantFrom({ ...textsOf(parts), toolCalls }),
    finish: end === "stop" && toolCalls.length > 0 ? "tool_calls" : end,
    usage: usage ? usageOf(usage) : undefined,
  };
}

/** Google counts thoughts apart from the reply. */
function usageOf(usage: NonNullable<Reply["usageMetadata"]>): Usage | undefined {
  const { promptTokenCount, candidatesTokenCount, cachedContentTokenCount: cached } = usage;
  if (promptTokenCount == null) return undefined;
  return {
    inputTokens: promptTokenCount + (usage.toolUsePromptTokenCount ?? 0),
    outputTokens: (candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
    ...(cached && { cacheReadTokens: cached }),
  };
}
