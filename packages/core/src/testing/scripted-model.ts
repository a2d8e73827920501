import { ConfigError } from "../errors.ts";
import { assistantMessage, type AssistantMessage, repliesOf } from "../message/message.ts";
import type { Model, ModelRequest, ModelResponse } from "../model/model.ts";

/** The reply of a test model: text, a message, or a whole response. */
export type Reply = string | AssistantMessage | ModelResponse;

/** Returns the reply to a request. Every `Model` is a `ReplyFunction`. */
export type ReplyFunction = (request: ModelRequest) => Reply | Promise<Reply>;

/** One entry of a script: a reply, an error to throw, or a function of the request. */
export type ScriptedReply = Reply | Error | ReplyFunction;

/**
 * Creates a model that follows a script: the n-th turn of a conversation gets the n-th reply; later turns get the last one. The
 * model has no state, so rollouts can share it.
 */
export function scriptedModel(...replies: readonly ScriptedReply[]): Model {
  if (replies.length === 0) throw new ConfigError("scriptedModel() requires at least one reply.");
  const play: Model = async (request) => {
    request.signal.throwIfAborted();
    const turn = repliesOf(request.messages).length;
    const reply = replies[Math.min(turn, replies.length - 1)]!;
    if (reply instanceof Error) throw reply;
    return asResponse(typeof reply === "function" ? await reply(request) : reply);
  };
  return Object.assign(play, { id: "scripted" });
}

/** Converts a reply to the response of a model. */
function asResponse(reply: Reply): ModelResponse {
  if (typeof reply !== "string" && "message" in reply) return reply;
  const message = typeof reply === "string" ? assistantMessage(reply) : reply;
  return { message, finish: message.tool_calls === undefined ? "stop" : "tool_calls" };
}
