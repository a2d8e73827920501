import { createHash, randomUUID, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

import type { Message, Model } from "@envs/core";
import { mediaKind, mediaParts, messageOf, now } from "@envs/core/engine";

import { chatReply } from "./chat-reply.ts";
import { type ChatRequest, parseBody, readBody, readChatRequest } from "./chat-request.ts";
import { errorReply, HttpError, type HttpReply, json, send } from "./http-reply.ts";
import { listen, type ListenOptions } from "./listen.ts";
import { foreignRequestProblem } from "./local-request.ts";

/** Options of a chat server. */
export type ChatServerOptions = ChatEndpointOptions & ListenOptions;

/** A running chat server. */
export interface ChatServer extends AsyncDisposable {
  /** The base URL for clients. It ends in `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Stops listening and aborts running requests. */
  readonly close: () => Promise<void>;
}

/** Serves a model over HTTP with OpenAI's chat-completions API. */
export async function chatServer(
  model: Model,
  options: ChatServerOptions = {},
): Promise<ChatServer> {
  const { host, allowedHosts = [] } = options;
  const ownHosts = host === undefined ? allowedHosts : [...allowedHosts, host];
  const endpoint = chatEndpoint(model, { ...options, allowedHosts: ownHosts });
  const server = await listen(async ({ request, response, signal }) => {
    const reply = await endpoint(request, signal);
    if (!signal.aborted) send(response, reply);
  }, options);
  return { ...server, url: `${server.origin}/v1` };
}

interface ChatEndpointOptions {
  /** The model name that clients must send. Default: the model's id. */
  readonly name?: string | undefined;
  /** The bearer token that clients must send. Default: clients need none. */
  readonly apiKey?: string | undefined;
  /**
   * Names under which clients reach a server without a key, besides `localhost`, IP addresses and `host`; also the hosts
   * of web pages that may use it. Default: none.
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The maximum size of a request's body. Default 64 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Called with each error that the client did not cause. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Answers one HTTP request. Never throws. */
export type ChatEndpoint = (request: IncomingMessage, signal: AbortSignal) => Promise<HttpReply>;

/** The path of the chat-completions endpoint. */
export const chatPath = "/v1/chat/completions";

/** Implements OpenAI's chat-completions API over a model, without a server. */
export function chatEndpoint(model: Model, options: ChatEndpointOptions = {}): ChatEndpoint {
  const { name = model.id ?? "model", maxBodyBytes = 64 * 2 ** 20, onError } = options;
  const created = nowInSeconds();
  const checkAccess = accessCheck(options);

  const complete: ChatEndpoint = async (incoming, signal) => {
    const request = readChatRequest(parseBody(await readBody(incoming, maxBodyBytes)));
    if (request.model !== name)
      throw new HttpError(404, `The model ${request.model} does not exist. Use ${name}.`, {
        code: "model_not_found",
        field: "model",
      });
    const { messages, tools, format, sampling, seed } = request;
    checkChoice(request);
    checkMedia(model, messages);
    const response = await model({ messages, tools, format, sampling, seed, signal });
    const id = `chatcmpl-${randomUUID()}`;
    return chatReply(response, request, { id, model: name, created: nowInSeconds() });
  };

  const routes: Readonly<Record<string, { readonly method: string; readonly run: ChatEndpoint }>> =
    {
      [chatPath]: { method: "POST", run: complete },
      "/v1/models": {
        method: "GET",
        run: async () =>
          json(200, {
            object: "list",
            data: [{ id: name, object: "model", created, owned_by: "envs" }],
          }),
      },
      "/health": { method: "GET", run: async () => json(200, { status: "ok" }) },
    };

  return async (request, signal) => {
    try {
      const path = pathOf(request);
      const route = Object.hasOwn(routes, path) ? routes[path] : undefined;
      if (route === undefined)
        throw new HttpError(404, `The path ${path} does not exist. Use ${chatPath} or /v1/models.`);
      if (path !== "/health") checkAccess(request.headers);
      if (request.method !== route.method)
        throw new HttpError(405, `${path} supports ${route.method} only.`, {
          headers: { allow: route.method },
        });
      return await route.run(request, signal);
    } catch (error) {
      if (!(error instanceof HttpError) && !signal.aborted) onError?.(error);
      return errorReply(error);
    }
  };
}

/** Throws an `HttpError` 400 if the model must call a tool: the models that are served so cannot be forced. */
function checkChoice({ toolChoice = "auto" }: ChatRequest): void {
  if (toolChoice === "auto" || toolChoice === "none") return;
  throw new HttpError(
    400,
    'The request is not valid. tool_choice: this server supports "auto" and "none" only',
    { field: "tool_choice" },
  );
}

/** Throws an `HttpError` 400 for images, audio and files if the model does not accept them. */
export function checkMedia(model: Model, messages: readonly Message[]): void {
  const media = messages.flatMap(({ content }) => mediaParts(content).map(mediaKind));
  if (media.length === 0) return;
  try {
    model.check?.({ name: "the request", policies: [], media: [...new Set(media)] });
  } catch (error) {
    throw new HttpError(400, messageOf(error), { field: "messages", cause: error });
  }
}

/** The path of a request, without its query. */
export function pathOf({ url = "/" }: IncomingMessage): string {
  return url.split("?", 1)[0]!;
}

function nowInSeconds(): number {
  return Math.floor(now() / 1000);
}

/** Throws an `HttpError` for requests without the key; without a key, for requests of other sites' pages. */
function accessCheck({
  apiKey,
  allowedHosts,
}: ChatEndpointOptions): (headers: IncomingHttpHeaders) => void {
  if (apiKey === undefined)
    return (headers) => {
      const problem = foreignRequestProblem(headers, allowedHosts);
      if (problem !== undefined) throw new HttpError(403, problem);
    };
  const isAuthorized = bearerCheck(apiKey);
  return ({ authorization }) => {
    if (!isAuthorized(authorization))
      throw new HttpError(401, "The API key is missing or invalid.", { code: "invalid_api_key" });
  };
}

/** Compares digests, so that the duration of the comparison does not reveal the key. */
function bearerCheck(apiKey: string): (authorization: string | undefined) => boolean {
  const digest = (value: string): Buffer => createHash("sha256").update(value).digest();
  const expected = digest(`Bearer ${apiKey}`);
  return (authorization = "") => timingSafeEqual(digest(authorization), expected);
}
