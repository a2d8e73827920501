import type { ModelResponse } from "@envs/core";
import type {
  Response,
  ResponseFunctionToolCall,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseReasoningItem,
  ResponseUsage,
} from "openai/resources/responses/responses";

import type { ReplyContext } from "../dialect.ts";
import { offeredTools } from "./namespaces.ts";
import type { ResponsesRequest } from "./schema.ts";

/** A response on the wire. The official client adds `output_text`. */
export type WireResponse = Omit<Response, "output_text" | "access_programs">;

/** Writes a model's response in the format of OpenAI's Responses. */
export function responseObject(
  response: ModelResponse,
  request: ResponsesRequest,
  { id, time }: ReplyContext,
): WireResponse {
  const { finish, usage } = response;
  const isComplete = finish === "stop" || finish === "tool_calls";
  const reason = finish === "length" ? "max_output_tokens" : "content_filter";
  return {
    id: `resp_${id}`,
    object: "response",
    created_at: Math.floor(time / 1000),
    status: isComplete ? "completed" : "incomplete",
    error: null,
    incomplete_details: isComplete ? null : { reason },
    instructions: request.instructions ?? null,
    metadata: null,
    model: request.model,
    output: outputItems(response, request, { id, isComplete }),
    parallel_tool_calls: true,
    previous_response_id: request.previous_response_id ?? null,
    temperature: request.temperature ?? null,
    tool_choice: "auto",
    tools: [],
    top_p: request.top_p ?? null,
    ...(usage === undefined ? {} : { usage: usageOf(usage) }),
  };
}

function outputItems(
  { message }: ModelResponse,
  request: ResponsesRequest,
  { id, isComplete }: { readonly id: string; readonly isComplete: boolean },
): ResponseOutputItem[] {
  const status = isComplete ? "completed" : "incomplete";
  const { content, reasoning_content: reasoning, tool_calls: calls = [] } = message;
  const items: (ResponseReasoningItem | ResponseOutputMessage | ResponseFunctionToolCall)[] = [];
  if (reasoning !== undefined)
    items.push({
      id: `rs_${id}`,
      type: "reasoning",
      summary: [{ type: "summary_text", text: reasoning }],
    });
  if (content !== "" || calls.length === 0)
    items.push({
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      status,
      content: [{ type: "output_text", text: content, annotations: [] }],
    });
  const offered = offeredTools(request);
  for (const [index, call] of calls.entries()) {
    const { tool, namespace } =
      offered.find(({ offeredName }) => offeredName === call.function.name) ?? {};
    items.push({
      id: `fc_${id}_${index}`,
      type: "function_call",
      status,
      call_id: call.id,
      name: tool?.name ?? call.function.name,
      ...(namespace === undefined ? {} : { namespace }),
      arguments: call.function.arguments,
    });
  }
  return items;
}

function usageOf(usage: NonNullable<ModelResponse["usage"]>): ResponseUsage {
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}
