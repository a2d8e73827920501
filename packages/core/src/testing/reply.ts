import { assistant, type AssistantMessage } from "../message.ts";
import type { ModelRequest, ModelResponse } from "../model.ts";

/** What a made-up model says: text, a message, or a whole response. */
export type Reply = string | AssistantMessage | ModelResponse;

/** Finds the reply to a request. Every `Model` is one too. */
export type Answer = (request: ModelRequest) => Reply | Promise<Reply>;

/** A reply as a model gives it. */
export function asResponse(reply: Reply): ModelResponse {
  if (typeof reply !== "string" && "message" in reply) return reply;
  const message = typeof reply === "string" ? assistant(reply) : reply;
  return { message, finish: message.tool_calls === undefined ? "stop" : "tool_calls" };
}
