import type { Route } from "./contract/route.ts";
import { HubRequestError } from "./hub-request-error.ts";

/** An HTTP request without its origin. */
interface HttpRequest {
  readonly method: Route["method"];
  /** Path and query. */
  readonly path: string;
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined;
  /** Default: JSON. */
  readonly contentType?: string | undefined;
}

/**
 * Distributes an input's values over the path, the query and the body of a route. Does not validate them: the hub
 * rejects unknown and invalid ones.
 */
export function routeRequest(
  { method, path: template, params, query, body, content: contentType }: Route,
  input: Readonly<Record<string, unknown>>,
): HttpRequest {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(textOf(input[name])),
  );
  const pathNames = Object.keys(params?.shape ?? {});
  const queryNames = Object.keys(query?.shape ?? {});
  const entries = Object.entries(input).filter(([name]) => !pathNames.includes(name));
  const isQuery = ([name]: readonly [string, unknown]): boolean =>
    body === undefined || queryNames.includes(name);
  if (contentType !== undefined)
    return { method, path, body: input["content"] as Uint8Array<ArrayBuffer>, contentType };
  const search = searchOf(entries.filter(isQuery));
  const bodyEntries = entries.filter((entry) => !isQuery(entry));
  return {
    method,
    path: search === "" ? path : `${path}?${search}`,
    body: body === undefined ? undefined : JSON.stringify(Object.fromEntries(bodyEntries)),
  };
}

function searchOf(entries: readonly (readonly [string, unknown])[]): string {
  const search = new URLSearchParams();
  for (const [name, value] of entries)
    for (const item of Array.isArray(value) ? (value as readonly unknown[]) : [value])
      if (item !== undefined) search.append(name, textOf(item));
  return search.toString();
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The address and the options of a request. */
export interface SendOptions {
  readonly origin: string;
  readonly token?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A complete response. */
export interface HttpResponse {
  readonly status: number;
  readonly text: string;
}

/** The origin of a hub's address. Hubs are at the root of their host. */
export function originOf(url: string): string {
  const parsed = URL.parse(url);
  if (parsed !== null && /^https?:$/.test(parsed.protocol)) return parsed.origin;
  throw new HubRequestError(
    `${JSON.stringify(url)} is not the address of a hub. Use the form http://localhost:4873.`,
    { code: "invalid-address" },
  );
}

/** Sends a request, and returns the response of any status. An aborted request throws the signal's reason. */
export async function sendRequest(
  { method, path, body, contentType = "application/json" }: HttpRequest,
  { origin, token, fetch = globalThis.fetch, signal }: SendOptions,
): Promise<HttpResponse> {
  const headers = new Headers({ accept: "application/json" });
  if (body !== undefined) headers.set("content-type", contentType);
  if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
  try {
    const response = await fetch(`${origin}${path}`, {
      method,
      headers,
      body: body ?? null,
      signal: signal ?? null,
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    signal?.throwIfAborted();
    throw new HubRequestError(
      `${origin} does not respond${causeOf(error)}. Check the address, and that the hub is running.`,
      { code: "unreachable", cause: error },
    );
  }
}

/** Node puts the reason into the error's cause; browsers do not expose it. */
function causeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  const code = (cause as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? ` (${code})` : "";
}
