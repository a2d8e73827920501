import { type Exchange, type HttpReply, send } from "@envs/models/server";

import type { Dialect } from "./dialects/dialect.ts";
import { streamHeaders } from "./dialects/events.ts";
import { wireError } from "./dialects/wire-error.ts";
import type { PendingCall } from "./pending-call.ts";

interface StreamOptions {
  readonly dialect: Dialect;
  readonly pending: PendingCall;
  readonly reply: Promise<HttpReply>;
  readonly keepAliveInterval: number;
}

/**
 * Sends a stream: the events of the model's server as they come, or all once the model has replied. Until then, comments keep
 * the connection alive: clients and proxies close one that is silent for minutes. An error before the first text has its own
 * status; a later one is an event.
 */
export async function sendStream(
  { response, signal }: Exchange,
  { dialect, pending, reply, keepAliveInterval }: StreamOptions,
): Promise<void> {
  const write = (text: string): void => {
    if (!response.headersSent) response.writeHead(200, streamHeaders);
    response.write(text);
  };
  const timer = setInterval(() => write(": the model has not replied yet\n\n"), keepAliveInterval);
  pending.read(write, signal);
  signal.addEventListener("abort", () => clearInterval(timer), { once: true });
  try {
    const { status, headers, body } = await reply;
    clearInterval(timer);
    if (!response.headersSent) return send(response, { status, headers, body });
    response.end(body);
  } catch (error) {
    clearInterval(timer);
    if (!response.headersSent) throw error;
    response.end(dialect.errorEvent(wireError(error)));
  }
}
