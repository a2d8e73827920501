import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";

import { errorReply, send } from "./http-reply.ts";

export interface ListenOptions {
  /** Default: 127.0.0.1, which only this machine can reach. */
  readonly host?: string | undefined;
  /** Default 0: any free port. */
  readonly port?: number | undefined;
  /** Whether this process may end while the server listens. Default false. */
  readonly isBackground?: boolean | undefined;
}

/** The input of a request handler. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client disconnects before the response is complete, and when the server closes. */
  readonly signal: AbortSignal;
}

/** A running HTTP server. */
export interface ListeningServer extends AsyncDisposable {
  /** Scheme, host and port, without a trailing slash. */
  readonly origin: string;
  readonly port: number;
  /** Stops listening and aborts running requests. */
  readonly close: () => Promise<void>;
}

/** Starts an HTTP server. An error of `handle` becomes an error response. */
export async function listen(
  handle: (exchange: Exchange) => Promise<void>,
  { host = "127.0.0.1", port = 0, isBackground = false }: ListenOptions = {},
): Promise<ListeningServer> {
  // Imported dynamically: a static import would load Node's HTTP client into every program that reads a run.
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    const disconnected = new AbortController();
    response.once("close", () => {
      if (!response.writableFinished) disconnected.abort(new Error("The client disconnected."));
    });
    handle({ request, response, signal: disconnected.signal }).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy();
      else send(response, errorReply(error));
    });
  });
  // Above the default of 5 seconds, which would close connections that clients reuse for the next turn.
  server.keepAliveTimeout = 60_000;
  if (isBackground) server.unref().on("connection", (socket) => socket.unref());
  try {
    server.listen({ host, port, backlog: 4096 });
    await once(server, "listening");
  } catch (error) {
    throw new ConfigError(
      `The server cannot listen at ${host}, port ${port} (${messageOf(error)}). Choose another port, or 0 for any free port.`,
      [],
      { cause: error },
    );
  }
  const actualPort = (server.address() as AddressInfo).port;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    origin: `http://${host.includes(":") ? `[${host}]` : host}:${actualPort}`,
    port: actualPort,
    close,
    [Symbol.asyncDispose]: close,
  };
}
