import { badRequest, type HttpError, json } from "@envs/models/server";

import type { Dialect } from "../dialect.ts";
import { sseEvent, streamHeaders } from "../events.ts";
import { formatOf, messagesOf, toolChoiceOf, toolsOf } from "./decode.ts";
import { contentChunks, contentObject } from "./encode.ts";
import { countRequest, geminiRequest } from "./schema.ts";

const path =
  /^\/models\/(?<model>.+):(?<method>generateContent|streamGenerateContent|countTokens)$/;

const statuses: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  503: "UNAVAILABLE",
};

function errorBody({ status, message }: HttpError): object {
  return { error: { code: status, message, status: statuses[status] ?? "INTERNAL" } };
}

/** Google's generateContent and streamGenerateContent. */
export const gemini: Dialect = {
  name: "gemini",
  match(requested) {
    const method = path.exec(requested)?.groups?.["method"];
    if (method === undefined) return /^\/models\/.+:/u.test(requested) ? "other" : undefined;
    return method === "countTokens" ? "count" : "call";
  },
  decode(incoming) {
    const { model = "", method } = path.exec(incoming.path)?.groups ?? {};
    const schema = method === "countTokens" ? countRequest : geminiRequest;
    const parsed = schema.safeParse(incoming.json);
    if (!parsed.success) throw badRequest(parsed.error);
    const request = parsed.data;
    const { temperature, topP, maxOutputTokens, stopSequences, seed, thinkingConfig } =
      request.generationConfig ?? {};
    const isStream = method === "streamGenerateContent";
    // Without `alt=sse`, a stream is a list.
    const isEventStream = incoming.query.get("alt") === "sse";
    return {
      model,
      isStream,
      isRelayable: !isStream || isEventStream,
      effort: thinkingConfig?.thinkingLevel ?? thinkingConfig?.thinkingBudget ?? undefined,
      input: {
        messages: messagesOf(request),
        tools: toolsOf(request),
        toolChoice: toolChoiceOf(request),
        format: formatOf(request),
        sampling: {
          temperature: temperature ?? undefined,
          topP: topP ?? undefined,
          maxTokens: maxOutputTokens ?? undefined,
          stop: stopSequences ?? undefined,
        },
        seed: seed ?? undefined,
      },
      encode(response, context) {
        if (!isStream) return json(200, contentObject(response, model, context));
        const chunks = contentChunks(response, model, context);
        if (!isEventStream) return json(200, chunks);
        const body = chunks.map((chunk) => sseEvent(chunk)).join("");
        return { status: 200, headers: streamHeaders, body };
      },
    };
  },
  encodeCount: (tokens) => json(200, { totalTokens: tokens }),
  encodeError: (error) => json(error.status, errorBody(error), error.headers),
  errorEvent: (error) => sseEvent(errorBody(error)),
};
