import { badRequest, errorReply, json } from "@envs/models/server";

import type { Dialect } from "../dialect.ts";
import { sseEvent, typedStream } from "../events.ts";
import { formatOf, messagesOf, toolChoiceOf, toolsOf } from "./decode.ts";
import { responseObject } from "./encode.ts";
import { responseEvents } from "./events.ts";
import { offeredTools } from "./namespaces.ts";
import { type InputItem, responsesRequest } from "./schema.ts";
import { resolveItems, storedItems, storeReply } from "./stored-items.ts";

/** OpenAI's Responses. */
export const responses: Dialect = {
  name: "responses",
  relayedHeaders: ["openai-beta"],
  match: (path) => (path === "/responses" ? "call" : undefined),
  decode({ json: body, memory }) {
    const parsed = responsesRequest.safeParse(body);
    if (!parsed.success) throw badRequest(parsed.error);
    const request = parsed.data;
    const stored = storedItems(memory);
    const input: readonly InputItem[] =
      typeof request.input === "string"
        ? [{ type: "message", role: "user", content: request.input }]
        : request.input;
    const items = resolveItems(input, request.previous_response_id, stored);
    const remember = (reply: unknown): void => storeReply(reply, items, stored);
    return {
      model: request.model,
      isStream: request.stream === true,
      effort: request.reasoning?.effort ?? undefined,
      // Sends the conversation, because a server does not have the replies of other models.
      isRelayable:
        !request.previous_response_id && !input.some(({ type }) => type === "item_reference"),
      input: {
        messages: messagesOf(request.instructions, items, offeredTools(request)),
        tools: toolsOf(request),
        toolChoice: toolChoiceOf(request),
        format: formatOf(request),
        sampling: {
          temperature: request.temperature ?? undefined,
          topP: request.top_p ?? undefined,
          maxTokens: request.max_output_tokens ?? undefined,
        },
      },
      onRelayed: remember,
      encode(response, context) {
        const object = responseObject(response, request, context);
        remember(object);
        return request.stream === true ? typedStream(responseEvents(object)) : json(200, object);
      },
    };
  },
  encodeError: errorReply,
  errorEvent({ message, code, field }) {
    const event = { type: "error", message, code: code ?? "server_error", param: field ?? null };
    return sseEvent({ ...event, sequence_number: 0 }, "error");
  },
};
