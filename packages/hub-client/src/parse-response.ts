import * as z from "zod";

import { problem } from "./contract/route.ts";
import { HubRequestError } from "./hub-request-error.ts";
import type { HttpResponse } from "./send-request.ts";

/** Parses a hub's response with its route's schema. Throws a {@link HubRequestError}. */
export function parseResponse(
  { status, text }: HttpResponse,
  { origin, schema }: { readonly origin: string; readonly schema: z.ZodType },
): unknown {
  const json = status === 204 ? null : parseJson(text);
  if (status >= 400) throw errorOf(json, status, origin);
  if (json === undefined) throw notAHub(origin, status);
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issues = z.prettifyError({ issues: parsed.error.issues.slice(0, 5) });
  throw new HubRequestError(
    `The response of ${origin} does not match its schema. The hub and this client may be of different versions; update the older one.\n${issues}`,
    { status, code: "unexpected-answer", cause: parsed.error },
  );
}

function errorOf(json: unknown, status: number, origin: string): HubRequestError {
  const { data } = problem.safeParse(json);
  if (data !== undefined) return new HubRequestError(data.message, { status, code: data.code });
  if (status < 500) return notAHub(origin, status);
  return new HubRequestError(
    `${origin} responded with ${status}: a proxy cannot reach the hub. Try again later.`,
    { status, code: "unavailable" },
  );
}

function notAHub(origin: string, status: number): HubRequestError {
  return new HubRequestError(
    `${origin} responded with ${status}, but the response is not a hub's. Check the address.`,
    { status, code: "not-a-hub" },
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
