import type { ModelRequest } from "../model.ts";
import type { RelayedCall } from "../relay.ts";
import { chatBody, type OpenAIOptions } from "./chat-request.ts";

/** The call to pass on as its client has made it; `undefined` if the server would receive something else than the request. */
export function relayedChat(
  request: ModelRequest,
  options: OpenAIOptions,
): RelayedCall | undefined {
  const { relay, messages, tools, toolChoice, format } = request;
  if (relay?.dialect !== "chat") return undefined;
  const { read } = relay;
  const isUnchanged =
    messages === read.messages &&
    tools === read.tools &&
    toolChoice === read.toolChoice &&
    format === read.format;
  // Tools' images move to messages of the user, and reasoning is left out: see `chatBody`.
  const isRewritten = messages.some(
    (message) =>
      (message.role === "tool" && typeof message.content !== "string") ||
      (message.role === "assistant" &&
        message.reasoning_content !== undefined &&
        options.keepReasoning !== true),
  );
  return isUnchanged && !isRewritten ? relay : undefined;
}

/** The body of a relayed call: the client's, with the model, the sampling and the fields that this package sets. */
export function relayedBody(
  name: string,
  request: ModelRequest,
  { body }: RelayedCall,
  options: OpenAIOptions,
): Readonly<Record<string, unknown>> {
  const own = Object.entries(chatBody(name, request, options)).filter(
    ([field, value]) => value !== undefined && !clientFields.has(field),
  );
  const sent = Object.entries(body).filter(([field]) => !limits.has(field));
  const streamOptions = { ...(body["stream_options"] as object | undefined), include_usage: true };
  const streaming = { stream: true, stream_options: streamOptions };
  return { ...Object.fromEntries([...sent, ...own]), ...streaming };
}

/** What the client decides. */
const clientFields: ReadonlySet<string> = new Set([
  "messages",
  "tools",
  "tool_choice",
  "response_format",
]);

/** Two names of one limit: servers know one of them. */
const limits: ReadonlySet<string> = new Set(["max_tokens", "max_completion_tokens"]);
