import { badRequest, type HttpError, json } from "@envs/models/server";

import type { Dialect } from "../dialect.ts";
import { sseEvent, typedStream } from "../events.ts";
import { messagesOf, toolChoiceOf, toolsOf } from "./decode.ts";
import { messageEvents, messageObject } from "./encode.ts";
import { messagesRequest } from "./schema.ts";

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
};

function errorBody({ status, message }: HttpError): object {
  return { type: "error", error: { type: errorTypes[status] ?? "api_error", message } };
}

/** Anthropic's Messages. */
export const messages: Dialect = {
  name: "messages",
  relayedHeaders: ["anthropic-beta", "anthropic-version"],
  match(path) {
    if (path === "/messages/count_tokens") return "count";
    if (path === "/messages") return "call";
    return path.startsWith("/messages/") || path === "/complete" ? "other" : undefined;
  },
  decode({ json: body }) {
    const parsed = messagesRequest.safeParse(body);
    if (!parsed.success) throw badRequest(parsed.error);
    const request = parsed.data;
    const format = request.output_config?.format;
    const isStream = request.stream === true;
    return {
      model: request.model,
      isStream,
      effort: request.output_config?.effort ?? request.thinking?.budget_tokens ?? undefined,
      input: {
        messages: messagesOf(request),
        tools: toolsOf(request),
        toolChoice: toolChoiceOf(request),
        format: format ? { type: "schema", name: "reply", schema: format.schema } : undefined,
        sampling: {
          temperature: request.temperature ?? undefined,
          topP: request.top_p ?? undefined,
          maxTokens: request.max_tokens ?? undefined,
          stop: request.stop_sequences ?? undefined,
        },
      },
      encode(response, context) {
        const message = messageObject(response, request.model, context);
        return isStream ? typedStream(messageEvents(message)) : json(200, message);
      },
    };
  },
  encodeCount: (tokens) => json(200, { input_tokens: tokens }),
  encodeError: (error) => json(error.status, errorBody(error), error.headers),
  errorEvent: (error) => sseEvent(errorBody(error), "error"),
};
