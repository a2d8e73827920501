import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { ConfigError, messageOf } from "../../errors.ts";
import { errorReply } from "./http-error.ts";
import { send } from "./http-reply.ts";

export interface ListenOptions {
  /** Default: 127.0.0.1, which only this machine reaches. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
}

/** One request as a handler sees it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted when the client goes away before it has its answer, and when the server closes. */
  readonly signal: AbortSignal;
}

/** A server that listens. */
export interface Listening extends AsyncDisposable {
  /** Scheme, host and port, without a slash at the end. */
  readonly origin: string;
  readonly port: number;
  /** Stops listening, and breaks off what is under way. */
  readonly close: () => Promise<void>;
}

/** Starts an HTTP server. What `handle` throws becomes an error reply. */
export async function listen(
  handle: (exchange: Exchange) => Promise<void>,
  { host = "127.0.0.1", port = 0 }: ListenOptions = {},
): Promise<Listening> {
  // Imported at the top, Node's whole HTTP client would load with all that reads a file of a run.
  const { createServer } = await import("node:http");
  const server = createServer((request, response) => {
    const gone = new AbortController();
    response.once("close", () => {
      if (!response.writableFinished) gone.abort(new Error("The client went away."));
    });
    handle({ request, response, signal: gone.signal }).catch((error: unknown) => {
      if (response.headersSent || response.destroyed) response.destroy();
      else send(response, errorReply(error));
    });
  });
  // A model may think for longer than any timeout that guards against slow clients.
  server.keepAliveTimeout = 60_000;
  try {
    server.listen({ host, port, backlog: 4096 });
    await once(server, "listening");
  } catch (error) {
    throw new ConfigError(
      `The server cannot listen at ${host}, port ${port} (${messageOf(error)}). Choose another port, or 0 for any free one.`,
      [],
      { cause: error },
    );
  }
  const bound = (server.address() as AddressInfo).port;
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    origin: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    close,
    [Symbol.asyncDispose]: close,
  };
}
