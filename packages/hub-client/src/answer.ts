import * as z from "zod";

import { problem } from "./contract/route.ts";
import { HubRequestError } from "./hub-request-error.ts";
import type { PlainAnswer } from "./send.ts";

/** What a hub at an origin answered, as its route promises it. */
export function answerOf(
  { status, text }: PlainAnswer,
  { origin, schema }: { readonly origin: string; readonly schema: z.ZodType },
): unknown {
  const json = status === 204 ? null : jsonIn(text);
  if (status >= 400) throw refusalOf(json, { status, origin });
  if (json === undefined) throw notAHub(origin, status);
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const issues = z.prettifyError({ issues: parsed.error.issues.slice(0, 5) });
  throw new HubRequestError(
    `${origin} answers in another form than this client expects; they may be of different versions.\n${issues}`,
    { status, code: "unexpected-answer", cause: parsed.error },
  );
}

function refusalOf(
  json: unknown,
  { status, origin }: { readonly status: number; readonly origin: string },
): HubRequestError {
  const { data } = problem.safeParse(json);
  if (data !== undefined) return new HubRequestError(data.message, { status, code: data.code });
  if (status < 500) return notAHub(origin, status);
  return new HubRequestError(
    `${origin} answers ${status}: what stands there does not reach a hub. Try again later.`,
    { status, code: "unavailable" },
  );
}

function notAHub(origin: string, status: number): HubRequestError {
  return new HubRequestError(
    `${origin} answers ${status}, but not as a hub does. Check that this is the address of a hub.`,
    { status, code: "not-a-hub" },
  );
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
