import { HubRequestError } from "./hub-request-error.ts";
import type { PlainRequest } from "./request.ts";

/** How a request reaches a hub. */
export interface Way {
  readonly origin: string;
  readonly token?: string;
  readonly fetch?: typeof fetch;
  readonly signal?: AbortSignal | undefined;
}

/** What came back, read to its end. */
export interface PlainAnswer {
  readonly status: number;
  readonly text: string;
}

/** The origin of a hub's address: hubs stand at the root of their host. */
export function originOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed !== null && /^https?:$/.test(parsed.protocol)) return parsed.origin;
  throw new HubRequestError(
    `${JSON.stringify(url)} is not the address of a hub. Write it like http://localhost:4873.`,
    { code: "invalid-address" },
  );
}

/** Sends a request, and gives whatever comes back. An aborted one throws what it was aborted with. */
export async function send(
  { origin, token, fetch = globalThis.fetch, signal }: Way,
  { method, path, body }: PlainRequest,
): Promise<PlainAnswer> {
  try {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers: {
        accept: "application/json",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      ...(body !== undefined && { body }),
      ...(signal !== undefined && { signal }),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    signal?.throwIfAborted();
    throw new HubRequestError(
      `Nothing answers at ${origin}${reasonOf(error)}. Check the address, and that the hub is running.`,
      { code: "unreachable", cause: error },
    );
  }
}

/** Node says why in the cause of the error; browsers do not tell. */
function reasonOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? ` (${code})` : "";
}
