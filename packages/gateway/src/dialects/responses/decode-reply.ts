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

const loose = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().catch(undefined);
const texts = loose(z.array(z.looseObject({ text: loose(z.string()) })));

const outputItem = z.looseObject({
  type: z.string(),
  content: loose(
    z.array(
      z.looseObject({
        type: loose(z.string()),
        text: loose(z.string()),
        refusal: loose(z.string()),
      }),
    ),
  ),
  summary: texts,
  call_id: loose(z.string()),
  name: loose(z.string()),
  namespace: loose(z.string()),
  arguments: z.unknown().optional(),
});

type OutputItem = z.output<typeof outputItem>;

const count = z.number().nonnegative();

/** The fields of a response that are read. Items of tools that OpenAI executes are left out. */
const responseReply = z.looseObject({
  error: z.unknown().optional(),
  status: loose(z.string()),
  incomplete_details: loose(z.looseObject({ reason: loose(z.string()) })),
  output: z.array(outputItem),
  usage: loose(
    z.looseObject({
      input_tokens: count,
      output_tokens: count,
      input_tokens_details: loose(
        z.looseObject({ cached_tokens: loose(count), cache_write_tokens: loose(count) }),
      ),
    }),
  ),
});

type Reply = z.output<typeof responseReply>;

/** Reads a reply of OpenAI's Responses. */
export function readResponse(
  body: unknown,
  request: Pick<ModelRequest, "messages" | "tools">,
  context: ServerContext,
): ModelResponse {
  const reply = parseReply(responseReply, body, { ...context, noun: "a response" });
  const { status, incomplete_details: details, output, usage } = reply;
  if (status === "failed" || status === "cancelled") throw interruptedReply(status, context);
  const end = status === "incomplete" ? reasonOf(details?.reason) : "stop";
  const received = output
    .filter(({ type }) => type === "function_call")
    .map((item) => ({ id: item.call_id, name: nameOf(item, request), input: item.arguments }));
  const toolCalls = createToolCalls(received, request.messages);
  const parts = output.flatMap(({ type, content }) => (type === "message" ? (content ?? []) : []));
  const refusal = parts.map((part) => part.refusal ?? "").join("");
  const finish = refusal === "" ? end : "content_filter";
  return {
    message: assistantFrom({
      content: parts.map((part) => part.text ?? "").join("") || refusal,
      reasoning: output.map(reasoningOf).filter(Boolean).join("\n\n"),
      toolCalls,
    }),
    finish: finish === "stop" && toolCalls.length > 0 ? "tool_calls" : finish,
    usage: usage ? usageOf(usage) : undefined,
  };
}

function reasonOf(reason: string | null | undefined): ModelResponse["finish"] {
  if (reason === "max_output_tokens") return "length";
  const end = replyEnd(reason);
  return end === "content_filter" ? end : "length";
}

/** The name that the request has for a function in a namespace. */
function nameOf({ name, namespace }: OutputItem, { tools = [] }: Pick<ModelRequest, "tools">) {
  const qualified = `${namespace ?? ""}__${name ?? ""}`;
  return tools.some((tool) => tool.name === qualified) ? qualified : (name ?? "");
}

/** A summary for thoughts that are secret; other servers send the thoughts themselves. */
function reasoningOf({ type, summary, content }: OutputItem): string {
  if (type !== "reasoning") return "";
  const parts = summary && summary.length > 0 ? summary : (content ?? []);
  return parts.map(({ text }) => text ?? "").join("\n\n");
}

function usageOf(usage: NonNullable<Reply["usage"]>): Usage {
  const { cached_tokens: read, cache_write_tokens: write } = usage.input_tokens_details ?? {};
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    ...(read && { cacheReadTokens: read }),
    ...(write && { cacheWriteTokens: write }),
  };
}
