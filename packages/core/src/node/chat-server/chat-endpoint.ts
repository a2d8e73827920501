import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

import type { Model } from "../../model.ts";
import { now } from "../../trajectory.ts";
import { chatReply } from "./chat-reply.ts";
import { readChatRequest } from "./chat-request.ts";
import { errorReply, HttpError } from "./http-error.ts";
import { type HttpReply, json } from "./http-reply.ts";
import { readBody } from "./read-body.ts";

export interface ChatEndpointOptions {
  /** The name that requests must give. Default: the model's id. */
  readonly name?: string;
  /** What callers must send as a bearer token. Default: none is asked for. */
  readonly apiKey?: string;
  /** The largest body that is read. Default 16 MiB. */
  readonly maxBodyBytes?: number;
  /** Hears of every failure that is not the caller's. */
  readonly onError?: (error: unknown) => void;
}

/** Answers one HTTP request. Never throws. */
export type ChatEndpoint = (request: IncomingMessage, signal: AbortSignal) => Promise<HttpReply>;

/** The path of chat completions. */
export const chatPath = "/v1/chat/completions";

/** OpenAI's chat completions over a model, apart from any server. */
export function chatEndpoint(model: Model, options: ChatEndpointOptions = {}): ChatEndpoint {
  const { name = model.id ?? "model", apiKey, maxBodyBytes = 16 * 2 ** 20, onError } = options;
  const started = seconds();
  const isAllowed = apiKey === undefined ? () => true : bearer(apiKey);

  const complete: ChatEndpoint = async (incoming, signal) => {
    const request = readChatRequest(await readBody(incoming, maxBodyBytes));
    if (request.model !== name)
      throw new HttpError(404, `The model ${request.model} does not exist. There is: ${name}.`, {
        code: "model_not_found",
        field: "model",
      });
    const { messages, tools, sampling, seed } = request;
    const response = await model({
      messages,
      sampling,
      signal,
      ...(tools === undefined ? {} : { tools }),
      ...(seed === undefined ? {} : { seed }),
    });
    const id = `chatcmpl-${randomUUID()}`;
    return chatReply(response, request, { id, model: name, created: seconds() });
  };

  const routes: Readonly<Record<string, { readonly method: string; readonly run: ChatEndpoint }>> =
    {
      [chatPath]: { method: "POST", run: complete },
      "/v1/models": {
        method: "GET",
        run: async () =>
          json(200, {
            object: "list",
            data: [{ id: name, object: "model", created: started, owned_by: "envs" }],
          }),
      },
      "/health": { method: "GET", run: async () => json(200, { status: "ok" }) },
    };

  return async (request, signal) => {
    try {
      const path = pathOf(request);
      const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
      if (route === undefined)
        throw new HttpError(404, `There is nothing at ${path}. There is: ${chatPath}, /v1/models.`);
      if (path !== "/health" && !isAllowed(request.headers.authorization))
        throw new HttpError(401, "The key is missing or wrong.", { code: "invalid_api_key" });
      if (request.method !== route.method)
        throw new HttpError(405, `${path} answers ${route.method} only.`, {
          headers: { allow: route.method },
        });
      return await route.run(request, signal);
    } catch (error) {
      if (!(error instanceof HttpError) && !signal.aborted) onError?.(error);
      return errorReply(error);
    }
  };
}

/** The path that a request names, without its query. */
export function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0]!;
}

function seconds(): number {
  return Math.floor(now() / 1000);
}

/** Compares digests, so that the time it takes tells nothing of the key. */
function bearer(apiKey: string): (authorization: string | undefined) => boolean {
  const digest = (value: string): Buffer => createHash("sha256").update(value).digest();
  const expected = digest(`Bearer ${apiKey}`);
  return (authorization = "") => timingSafeEqual(digest(authorization), expected);
}
