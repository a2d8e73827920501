import { setTimeout as sleep } from "node:timers/promises";

import { HubRequestError, problem } from "@envs/hub-client";
import pRetry from "p-retry";
import * as z from "zod";

const approved = z.object({ token: z.string().min(1) });
const defaultWaitSeconds = 2;
const maxWaitSeconds = 30;
/** A hub that restarts, or a lost connection, must not end the wait. */
const maxAttempts = 5;

/** Returns a URL that a hub sent if it is one of HTTP; `undefined` otherwise. */
export function parseWebAddress(text: unknown): string | undefined {
  const url = typeof text === "string" ? URL.parse(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/** Polls until the user has approved in the browser, at the hub's interval. Returns the token; throws if the user denies. */
export async function waitForApproval(doneUrl: string, signal?: AbortSignal): Promise<string> {
  for (;;) {
    const result = await pollWithRetry(doneUrl, signal);
    if ("token" in result) return result.token;
    await sleep(result.waitSeconds * 1000, undefined, { ...(signal && { signal }) });
  }
}

type PollResult = { readonly token: string } | { readonly waitSeconds: number };

async function pollWithRetry(doneUrl: string, signal?: AbortSignal): Promise<PollResult> {
  try {
    return await pRetry(() => poll(doneUrl, signal), {
      retries: maxAttempts - 1,
      factor: 1,
      minTimeout: defaultWaitSeconds * 1000,
      shouldRetry: ({ error }) => error instanceof UnavailableError,
      ...(signal && { signal }),
    });
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    throw new HubRequestError(
      `${new URL(doneUrl).origin} does not respond. Check that the hub is running, then try again.`,
      { code: "unreachable" },
    );
  }
}

/** The hub did not respond, or responded with a server error. */
class UnavailableError extends Error {
  override readonly name = "UnavailableError";
}

async function poll(doneUrl: string, signal: AbortSignal | undefined): Promise<PollResult> {
  const response = await fetch(doneUrl, { ...(signal && { signal }) }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw new UnavailableError("no response", { cause: error });
  });
  const body: unknown = await response.json().catch(() => undefined);
  if (response.status === 202) return { waitSeconds: retryAfter(response.headers) };
  if (response.status >= 500) throw new UnavailableError(`status ${response.status}`);
  const { data } = approved.safeParse(body);
  if (response.ok && data !== undefined) return data;
  const refusal = problem.safeParse(body).data;
  throw new HubRequestError(
    refusal?.message ??
      `${new URL(doneUrl).origin} returned status ${response.status} and is probably not a hub.`,
    { status: response.status, code: refusal?.code ?? "not-a-hub" },
  );
}

function retryAfter(headers: Headers): number {
  const seconds = Number(headers.get("retry-after") ?? defaultWaitSeconds);
  if (!Number.isFinite(seconds)) return defaultWaitSeconds;
  return Math.min(Math.max(seconds, 0.2), maxWaitSeconds);
}
