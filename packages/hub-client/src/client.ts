import { answerOf } from "./answer.ts";
import type { Route, RouteAnswer, RouteInput } from "./contract/route.ts";
import { type Routes, routes } from "./contract/routes.ts";
import { plainRequest } from "./request.ts";
import { originOf, send } from "./send.ts";

/** Where a hub is, and who asks. */
export interface HubClientOptions {
  /** The hub's address, such as `http://localhost:4873`. */
  readonly url: string;
  /** Without one, you see what everybody sees. */
  readonly token?: string;
  /** What makes requests, instead of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** What a call may have besides its input. */
export interface CallOptions {
  /** Ends the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

type Call<R extends Route> = (
  ...given: Record<never, never> extends RouteInput<R>
    ? [input?: RouteInput<R>, options?: CallOptions]
    : [input: RouteInput<R>, options?: CallOptions]
) => Promise<RouteAnswer<R>>;

/** A hub, with a method for each of its routes. What goes wrong is a {@link HubRequestError}. */
export type HubClient = { readonly [Name in keyof Routes]: Call<Routes[Name]> };

/** A client of the hub at an address. It asks nothing before a method is called. */
export function hubClient({ url, ...options }: HubClientOptions): HubClient {
  const origin = originOf(url);
  const methods = Object.entries(routes).map(([name, route]): [string, Call<Route>] => [
    name,
    async (input = {}, { signal } = {}) => {
      const answer = await send({ ...options, origin, signal }, plainRequest(route, input));
      return answerOf(answer, { origin, schema: route.answer });
    },
  ]);
  return Object.fromEntries(methods) as HubClient;
}
