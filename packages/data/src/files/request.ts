import { setTimeout as sleep } from "node:timers/promises";

import { messageOf } from "@envs/core/engine";

/** A response whose status is an error, after retries. */
export class ResponseError extends Error {
  override readonly name = "ResponseError";
  readonly status: number;
  readonly headers: Headers;

  constructor(response: Response, detail: string) {
    super(`status ${response.status}${detail === "" ? "" : `: ${detail}`}`);
    this.status = response.status;
    this.headers = response.headers;
  }
}

/** The server did not respond, or stopped sending. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
}

export interface RequestOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** The longest time in milliseconds without a byte. */
  readonly stallTimeout: number;
}

const maxAttempts = 5;
/** A server that did not respond at all: callers have a cache. */
const maxUnanswered = 2;
const longestDelay = 30_000;

/**
 * Sends a GET request and passes the response to `read`. Repeats both after a network error, a stall, 408, 429 and 5xx.
 * Redirects to another origin lose the `Authorization` header: `fetch` removes it.
 */
export async function request<Result>(
  url: string,
  options: RequestOptions,
  read: (response: Response, onBytes: () => void) => Promise<Result>,
): Promise<Result> {
  let attempts = 0;
  let unanswered = 0;
  for (;;) {
    const { headers, stallTimeout } = options;
    const stall = new AbortController();
    const timer = setTimeout(
      () => stall.abort(new Error(`the server sent nothing for ${stallTimeout / 1000} s`)),
      stallTimeout,
    );
    let hasResponse = false;
    try {
      const response = await fetch(url, { headers, signal: stall.signal });
      timer.refresh();
      hasResponse = true;
      if (!response.ok) throw new ResponseError(response, await detailOf(response));
      return await read(response, () => {
        timer.refresh();
        // The next attempt continues after these bytes: a long download may be interrupted any number of times.
        if (response.status === 206) attempts = 0;
      });
    } catch (error) {
      const isNetworkError = error instanceof TypeError || stall.signal.aborted;
      const failure = isNetworkError
        ? new NetworkError(causeOf(stall.signal.reason ?? error))
        : error;
      if (hasResponse) attempts += 1;
      else unanswered += 1;
      if (attempts >= maxAttempts || unanswered >= maxUnanswered) throw failure;
      if (!isTransient(failure)) throw failure;
      await sleep(delayOf(failure, attempts));
    } finally {
      clearTimeout(timer);
    }
  }
}

function isTransient(error: unknown): boolean {
  if (error instanceof NetworkError) return true;
  if (!(error instanceof ResponseError)) return false;
  return error.status === 408 || error.status === 429 || error.status >= 500;
}

function delayOf(error: unknown, attempt: number): number {
  const seconds =
    error instanceof ResponseError
      ? Number(error.headers.get("retry-after") ?? Number.NaN)
      : Number.NaN;
  return Math.min(Number.isNaN(seconds) ? 250 * 2 ** attempt : seconds * 1000, longestDelay);
}

/** The reason in the server's body or headers, in one line. */
async function detailOf(response: Response): Promise<string> {
  const header = response.headers.get("x-error-message");
  const text = header ?? (await response.text().catch(() => ""));
  const isMarkup = text.trimStart().startsWith("<");
  return isMarkup ? "" : text.replaceAll(/\s+/g, " ").trim().slice(0, 200);
}

/** `fetch` reports "fetch failed"; its cause has the reason. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return messageOf(cause instanceof Error ? cause : error);
}
