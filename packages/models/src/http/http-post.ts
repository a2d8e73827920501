import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";

import { messageOf } from "@envs/core/engine";
import { type Dispatcher, request as send } from "undici";

import { type HttpRequest, type HttpResponse, withTimeout } from "./http-request.ts";
import { isClosedConnection } from "./network-error.ts";
import { readBody } from "./read-body.ts";
import { ServerError } from "./server-error.ts";

/** The number of redirects after which a chain is a loop. */
const maxRedirects = 5;

/**
 * Sends a request without the streams and copies of the standard `fetch`, which take longer than the rest of a turn. Requests
 * go to undici's global dispatcher, like those of Node's own `fetch`, so its proxies and agents apply here too.
 */
export function httpPost(request: HttpRequest): Promise<HttpResponse> {
  return withTimeout(request, async (signal) => {
    let { url } = request;
    for (let redirects = 0; ; redirects += 1) {
      const { statusCode: status, headers, body } = await sendOnce(url, request, signal);
      const { location } = headers;
      const isRedirect = status >= 300 && status < 400 && typeof location === "string";
      if (!isRedirect) {
        const text = isStream(headers, request)
          ? await passOn(body, request)
          : await readBody(body, headers["content-encoding"], request.server);
        // undici releases a connection in an immediate after the response. Waits for it, because an earlier request would open
        // another connection.
        await new Promise(setImmediate);
        return { status, headers: joined(headers), text };
      }
      await body.dump();
      url = redirectTarget({ status, url, location, redirects }, request.server);
    }
  });
}

function isStream(headers: IncomingHttpHeaders, { onText }: HttpRequest): boolean {
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = headers;
  return onText !== undefined && type.startsWith("text/event-stream") && encoding === "identity";
}

/** Passes the text of a stream on as it comes. */
async function passOn(body: Readable, { onText, server }: HttpRequest): Promise<string> {
  const decoder = new TextDecoder();
  try {
    for await (const bytes of body as AsyncIterable<Buffer>)
      onText!(decoder.decode(bytes, { stream: true }));
  } catch (error) {
    const message = `The connection to ${server} closed before the stream was complete (${messageOf(error)}).`;
    throw new ServerError("transient", message, { cause: error });
  }
  return "";
}

/** The origins that have responded. Connections to them may be reused, and may close just before. */
const knownOrigins = new Set<string>();

/** Sends a request, and sends it again if the server closed a reused connection before it responded. */
async function sendOnce(
  url: URL,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  // Disables undici's timeouts of five minutes, which are too short for some models: the request has its own timeout.
  const options = { method: "POST", signal, headersTimeout: 0, bodyTimeout: 0 };
  try {
    const response = await send(url, { ...options, ...bodyOf(request) });
    knownOrigins.add(url.origin);
    return response;
  } catch (error) {
    if (signal.aborted || !knownOrigins.has(url.origin) || !isClosedConnection(error)) throw error;
    return send(url, { ...options, ...bodyOf(request) });
  }
}

/** The headers and the body of a request as undici takes them, again for each attempt. */
function bodyOf({ headers, body }: HttpRequest) {
  if (typeof body === "string") return { headers, body };
  if (body.length === 1) return { headers, body: body[0]! };
  const length = body.reduce((sum, part) => sum + part.length, 0);
  return { headers: { ...headers, "content-length": String(length) }, body: Readable.from(body) };
}

interface Redirect {
  readonly status: number;
  readonly url: URL;
  readonly location: string;
  /** The number of redirects before this one. */
  readonly redirects: number;
}

/** Returns the target of a redirect that keeps method, body and origin. Others would lose the request, or leak the key. */
function redirectTarget({ status, url, location, redirects }: Redirect, server: string): URL {
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  const shown = target === undefined ? location : `${target.origin}${target.pathname}`;
  if (redirects >= maxRedirects)
    throw new ServerError(
      "fatal",
      `${server} redirected the request more than ${maxRedirects} times, at last to ${shown}. Check the base URL.`,
    );
  const keepsRequest = status === 307 || status === 308;
  if (keepsRequest && target?.origin === url.origin) return target;
  const reason = keepsRequest
    ? "The API key is not sent to another origin."
    : "A POST request cannot follow this redirect.";
  throw new ServerError(
    "fatal",
    `${server} redirected the request to ${shown} (${status}). ${reason} If you trust that address, use it as the base URL.`,
  );
}

function joined(headers: Dispatcher.ResponseData["headers"]): HttpResponse["headers"] {
  const { "set-cookie": _, ...rest } = headers;
  return rest as HttpResponse["headers"];
}
