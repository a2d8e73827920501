import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { now } from "@envs/core/engine";

import { type HttpReply, json, send } from "../server/http-reply.ts";
import type { Exchange } from "../server/listen.ts";
import type { FaultName, Faults } from "./faults.ts";

/** Counts a fault that was applied. */
type CountFault = (name: FaultName) => void;

/** Applies `delay`, and the first fault that replaces the response. Returns whether the request is finished. */
export async function applyBeforeResponse(
  faults: Faults,
  { request, response, signal }: Exchange,
  count: CountFault,
): Promise<boolean> {
  const { delay, stall, drop, rateLimit, serverError } = faults;
  if (delay !== undefined) {
    count("delay");
    await pause(delay.milliseconds, signal);
  }
  if (signal.aborted) return true;
  if (stall !== undefined) {
    count("stall");
    request.resume();
    if (!signal.aborted) await once(signal, "abort");
    return true;
  }
  if (drop !== undefined) {
    count("drop");
    request.socket.destroy();
    return true;
  }
  if (rateLimit === undefined && serverError === undefined) return false;
  // Reads the body, so that the connection can be reused.
  request.resume();
  await once(request, "end", { signal });
  if (rateLimit !== undefined) {
    count("rateLimit");
    send(response, errorReply(429, "Too many requests.", retryAfter(rateLimit)));
  } else {
    count("serverError");
    send(response, errorReply(serverError?.status ?? 500, "The test server failed."));
  }
  return true;
}

interface OutgoingReply {
  readonly reply: HttpReply;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

/** Sends a reply with at most one fault of its content, and `drip`. */
export async function sendWithFaults(
  { brokenJson, cut, wrongType, noChoices, drip }: Faults,
  { reply: intact, response, signal }: OutgoingReply,
  count: CountFault,
): Promise<void> {
  let reply = intact;
  if (brokenJson !== undefined) {
    count("brokenJson");
    reply = { ...intact, body: firstHalf(intact.body) };
  } else if (cut !== undefined) {
    count("cut");
    response.writeHead(intact.status, {
      ...intact.headers,
      "content-length": Buffer.byteLength(intact.body),
    });
    response.write(firstHalf(intact.body), () => response.destroy());
    return;
  } else if (wrongType !== undefined) {
    count("wrongType");
    reply = {
      ...intact,
      headers: { "content-type": "text/html" },
      body: "<!doctype html><title>Sign in</title>",
    };
  } else if (noChoices !== undefined) {
    count("noChoices");
    reply = json(200, { object: "chat.completion", choices: [] });
  }
  if (drip === undefined) return send(response, reply);
  count("drip");
  const bytes = Buffer.from(reply.body);
  response.writeHead(reply.status, { ...reply.headers, "content-length": bytes.length });
  for (let start = 0; start < bytes.length && !signal.aborted; start += drip.bytes) {
    response.write(bytes.subarray(start, start + drip.bytes));
    await pause(drip.milliseconds, signal);
  }
  response.end();
}

function errorReply(
  status: number,
  message: string,
  headers: HttpReply["headers"] = {},
): HttpReply {
  return json(
    status,
    { error: { message, type: "server_error", param: null, code: null } },
    headers,
  );
}

function retryAfter({
  retryAfter: seconds,
  asDate = false,
}: NonNullable<Faults["rateLimit"]>): HttpReply["headers"] {
  if (seconds === undefined) return {};
  const value = asDate ? new Date(now() + seconds * 1000).toUTCString() : String(seconds);
  return { "retry-after": value };
}

function firstHalf(body: string): string {
  return body.slice(0, Math.floor(body.length / 2));
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}
