import type { Upstream } from "../platform/config/upstreams.ts";
import { HubError } from "../platform/errors/hub-error.ts";
import type { Hub } from "../platform/hub/hub.ts";

/** A request to an upstream, with its limits. */
export interface UpstreamRequest {
  /** Path and query. */
  readonly path: string;
  readonly accept: string;
  /** Asks for 304 if the upstream's document still has this tag. */
  readonly etag?: string | undefined;
  /** Of the body, after decompression. */
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/** A response with a status below 500 other than 429. */
interface OpenResponse {
  readonly status: number;
  readonly etag: string | null;
  /** The bytes as they arrive, within the limits of the request. Leaving the loop ends the connection. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Ends the connection instead of reading the body. */
  readonly cancel: () => Promise<void>;
}

/** A complete response. */
export type UpstreamResponse = Omit<OpenResponse, "body" | "cancel"> & { readonly bytes: Buffer };

/** Hubs do not pass requests with this header on to their upstreams, so that hubs cannot ask each other in a circle (RFC 8586). */
export const loopHeader = { "cdn-loop": "envs-hub" } as const;

const maxRedirects = 3;
/** How long the hub does not ask an upstream that has just failed, so that clients do not wait for each timeout. */
const pauseMs = 30_000;
const pauses = new WeakMap<Hub, Map<string, number>>();

/**
 * Sends a request to the origin of an upstream. The request has the operator's token for this host and nothing of the
 * client's. Follows redirects within the origin only: others could lead to the hub's own network.
 */
export async function openUpstream(
  hub: Hub,
  upstream: Pick<Upstream, "origin">,
  request: UpstreamRequest,
): Promise<OpenResponse> {
  const { origin } = upstream;
  const paused = pauses.get(hub) ?? new Map<string, number>();
  pauses.set(hub, paused);
  const now = hub.clock().getTime();
  const pauseEnd = paused.get(origin) ?? 0;
  if (now < pauseEnd) throw unavailable(origin, "it failed a moment ago");
  try {
    const response = await send(hub, origin, request);
    paused.delete(origin);
    return response;
  } catch (error) {
    if (error instanceof Unreachable) paused.set(origin, now + pauseMs);
    throw failureOf(hub, origin, error);
  }
}

/** Like {@link openUpstream}, and reads the whole body. */
export async function requestUpstream(
  hub: Hub,
  upstream: Pick<Upstream, "origin">,
  request: UpstreamRequest,
): Promise<UpstreamResponse> {
  const { status, etag, body } = await openUpstream(hub, upstream, request);
  return { status, etag, bytes: Buffer.concat(await Array.fromAsync(body)) };
}

function failureOf({ log }: Hub, origin: string, error: unknown): HubError {
  if (error instanceof HubError) return error;
  log.warn({ err: error, origin }, "an upstream failed");
  return unavailable(origin, error instanceof Unreachable ? error.message : reasonOf(error));
}

/** The upstream has not sent the head of a response. */
class Unreachable extends Error {}

async function send(
  hub: Hub,
  origin: string,
  { path, accept, etag, maxBytes, timeoutMs }: UpstreamRequest,
): Promise<OpenResponse> {
  const token = hub.settings.HUB_UPSTREAM_TOKENS?.get(new URL(origin).host);
  const headers = {
    ...loopHeader,
    accept,
    "user-agent": "envs-hub",
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(etag !== undefined && { "if-none-match": etag }),
  };
  const signal = AbortSignal.timeout(timeoutMs);
  let url = new URL(path, origin);
  for (let redirects = 0; ; redirects += 1) {
    if (url.origin !== origin)
      throw invalid(
        `${origin} redirects to ${url.origin}, and the hub follows no redirects to another host`,
      );
    const response = await fetch(url, { headers, signal, redirect: "manual" }).catch(
      (error: unknown) => {
        throw new Unreachable(reasonOf(error), { cause: error });
      },
    );
    const { status } = response;
    const location = response.headers.get("location");
    if (status >= 300 && status < 400 && status !== 304 && location !== null) {
      await response.body?.cancel();
      if (redirects === maxRedirects)
        throw invalid(`${origin} redirects more than ${maxRedirects} times`);
      url = new URL(location, url);
      continue;
    }
    if (status >= 500 || status === 429) {
      await response.body?.cancel();
      throw unavailable(origin, `it responds with ${status}`);
    }
    const body = readBody(hub, response, { origin, path, maxBytes });
    const cancel = async (): Promise<void> => await response.body?.cancel();
    return { status, etag: response.headers.get("etag"), body, cancel };
  }
}

async function* readBody(
  hub: Hub,
  { body }: Response,
  {
    origin,
    path,
    maxBytes,
  }: Pick<UpstreamRequest, "path" | "maxBytes"> & {
    readonly origin: string;
  },
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body ?? []) {
      size += chunk.byteLength;
      if (size > maxBytes)
        throw invalid(
          `${origin}${path} has more than ${maxBytes} bytes, the limit (HUB_UPSTREAM_BYTES for tarballs)`,
        );
      yield chunk;
    }
  } catch (error) {
    throw failureOf(hub, origin, error);
  }
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === "TimeoutError") return "it did not respond in time";
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? code : message;
}

/** The error of a response that the hub must not serve. */
export function invalid(problem: string): HubError {
  return new HubError("upstream-invalid", {
    message: `The upstream's response is not valid: ${problem}.`,
  });
}

/** The error of an upstream that does not respond as it should. */
export function unavailable(origin: string, reason: string): HubError {
  return new HubError("upstream-unavailable", {
    message: `The hub cannot reach ${origin}: ${reason}. Retry later.`,
    headers: { "retry-after": String(pauseMs / 1000) },
  });
}
