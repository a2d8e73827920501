import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setTimeout as wait } from "node:timers/promises";

import { type HttpReply, json, send } from "../node/chat-server/http-reply.ts";
import type { Exchange } from "../node/chat-server/listen.ts";
import { now } from "../trajectory.ts";
import type { FaultName, Faults } from "./faults.ts";

type Note = (name: FaultName) => void;

/** Plays the faults that need no answer of the model, one at most. Resolves to whether the request is done with. */
export async function failBefore(
  faults: Faults,
  { request, response, signal }: Exchange,
  note: Note,
): Promise<boolean> {
  const { delay, stall, drop, rateLimit, serverError } = faults;
  if (delay !== undefined) {
    note("delay");
    await pause(delay.milliseconds, signal);
  }
  if (signal.aborted) return true;
  if (stall !== undefined) {
    note("stall");
    request.resume();
    if (!signal.aborted) await once(signal, "abort");
    return true;
  }
  if (drop !== undefined) {
    note("drop");
    request.socket.destroy();
    return true;
  }
  if (rateLimit === undefined && serverError === undefined) return false;
  // An unread body would keep the connection from being used again.
  request.resume();
  await once(request, "end", { signal });
  if (rateLimit !== undefined) {
    note("rateLimit");
    send(response, failed(429, "Too many requests.", retryAfter(rateLimit)));
  } else {
    note("serverError");
    send(response, failed(serverError?.status ?? 500, "The server broke, as it was told to."));
  }
  return true;
}

interface Outgoing {
  readonly reply: HttpReply;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
}

/** Sends a reply, spoilt by one of the faults if any is at work; it may also drip. */
export async function sendBadly(
  { brokenJson, cut, wrongType, noChoices, drip }: Faults,
  { reply, response, signal }: Outgoing,
  note: Note,
): Promise<void> {
  let spoilt = reply;
  if (brokenJson !== undefined) {
    note("brokenJson");
    spoilt = { ...reply, body: firstHalf(reply.body) };
  } else if (cut !== undefined) {
    note("cut");
    response.writeHead(reply.status, {
      ...reply.headers,
      "content-length": Buffer.byteLength(reply.body),
    });
    response.write(firstHalf(reply.body), () => response.destroy());
    return;
  } else if (wrongType !== undefined) {
    note("wrongType");
    spoilt = {
      ...reply,
      headers: { "content-type": "text/html" },
      body: "<!doctype html><title>Sign in</title>",
    };
  } else if (noChoices !== undefined) {
    note("noChoices");
    spoilt = json(200, { object: "chat.completion", choices: [] });
  }
  if (drip === undefined) return send(response, spoilt);
  note("drip");
  const bytes = Buffer.from(spoilt.body);
  response.writeHead(spoilt.status, { ...spoilt.headers, "content-length": bytes.length });
  for (let start = 0; start < bytes.length && !signal.aborted; start += drip.bytes) {
    response.write(bytes.subarray(start, start + drip.bytes));
    await pause(drip.milliseconds, signal);
  }
  response.end();
}

function failed(status: number, message: string, headers: HttpReply["headers"] = {}): HttpReply {
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
  await wait(milliseconds, undefined, { signal }).catch(() => undefined);
}
