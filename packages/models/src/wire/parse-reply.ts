import * as z from "zod";

import { errorDetail } from "../http/error-detail.ts";
import { excerpt } from "../http/excerpt.ts";
import { type ServerContext, ServerError, serverError } from "../http/server-error.ts";

/**
 * Parses a reply of a server. Throws a `ServerError` for one that contains an error or does not match. `noun` names what it
 * should be, such as `a chat completion`.
 */
export function parseReply<Reply extends { readonly error?: unknown }>(
  schema: z.ZodType<Reply>,
  body: unknown,
  { noun, ...context }: ServerContext & { readonly noun: string },
): Reply {
  const parsed = schema.safeParse(body);
  const reported = parsed.success ? parsed.data.error && { error: parsed.data.error } : body;
  const failure = reported ? errorDetail(reported) : undefined;
  if (failure !== undefined) throw serverError(failure, context);
  if (parsed.success) return parsed.data;
  throw invalidReply(z.prettifyError(parsed.error), { ...context, noun });
}

export function invalidReply(
  problem: string,
  { server, noun }: ServerContext & { readonly noun: string },
): ServerError {
  return new ServerError(
    "transient",
    `The response of ${server} is not ${noun}: ${excerpt(problem)}`,
  );
}

/** The error for a reply that its provider ended before it was complete. */
export function interruptedReply(reason: string, context: ServerContext): ServerError {
  const message = `the reply ended with the finish reason ${JSON.stringify(reason)}`;
  return serverError({ message }, context);
}
