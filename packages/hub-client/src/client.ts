import type * as z from "zod";

import type { Route, RouteInput, RouteOutput } from "./contract/route.ts";
import { type Routes, routes } from "./contract/routes.ts";
import { parseResponse } from "./parse-response.ts";
import { originOf, routeRequest, sendRequest } from "./send-request.ts";

/** The address of a hub, and the credentials for it. */
export interface HubClientOptions {
  /** For example `http://localhost:4873`. */
  readonly url: string;
  /** Without a token, requests are anonymous and see only public data. */
  readonly token?: string | undefined;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

type RouteMethod<R extends Route> = (
  ...args: Record<never, never> extends RouteInput<R>
    ? [input?: RouteInput<R>, options?: CallOptions]
    : [input: RouteInput<R>, options?: CallOptions]
) => Promise<RouteOutput<R>>;

/** A client with a method for each route of the hub. Methods throw a {@link HubRequestError}. */
export type HubClient = { readonly [Name in keyof Routes]: RouteMethod<Routes[Name]> };

/** Creates a client. It sends its first request when a method is called. */
export function hubClient({ url, ...options }: HubClientOptions): HubClient {
  const origin = originOf(url);
  const methods = Object.entries(routes).map(([name, route]): [string, RouteMethod<Route>] => [
    name,
    async (input = {}, { signal } = {}) => {
      const response = await sendRequest(routeRequest(route, input), {
        ...options,
        origin,
        signal,
      });
      return parseResponse(response, { origin, schema: route.response });
    },
  ]);
  return Object.fromEntries(methods) as HubClient;
}

/** A request to one of npm's own routes, which the contract does not describe. */
export interface HubRequest {
  /** Default GET. */
  readonly method?: "GET" | "POST" | "PUT" | "DELETE" | undefined;
  /** Path and query. */
  readonly path: `/${string}`;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** Sends a request to one of npm's own routes. Throws a {@link HubRequestError}. A response without a body is `null`. */
export async function requestHub<Schema extends z.ZodType>(
  { url, ...options }: HubClientOptions & CallOptions,
  { method = "GET", path, body }: HubRequest,
  schema: Schema,
): Promise<z.output<Schema>> {
  const origin = originOf(url);
  const json = body === undefined ? undefined : JSON.stringify(body);
  const response = await sendRequest({ method, path, body: json }, { ...options, origin });
  return parseResponse(response, { origin, schema }) as z.output<Schema>;
}
