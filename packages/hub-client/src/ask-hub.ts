import type * as z from "zod";

import { answerOf } from "./answer.ts";
import type { CallOptions, HubClientOptions } from "./client.ts";
import { originOf, send } from "./send.ts";

/** A request by one of npm's routes, which the contract leaves to npm. */
export interface HubRequest {
  readonly method?: "GET" | "POST" | "PUT" | "DELETE";
  /** Path and query. */
  readonly path: `/${string}`;
  readonly body?: unknown;
}

/** Asks a hub by one of npm's routes. What goes wrong is a {@link HubRequestError}; an answer without a body is `null`. */
export async function askHub<Answer extends z.ZodType>(
  { url, signal, ...options }: HubClientOptions & CallOptions,
  { method = "GET", path, body }: HubRequest,
  answer: Answer,
): Promise<z.output<Answer>> {
  const origin = originOf(url);
  const given = await send(
    { ...options, origin, signal },
    { method, path, ...(body !== undefined && { body: JSON.stringify(body) }) },
  );
  return answerOf(given, { origin, schema: answer }) as z.output<Answer>;
}
