import { randomBytes } from "node:crypto";

import { messageOf } from "@envs/core/engine";
import fastify, { type FastifyError, type FastifyInstance, type FastifyRequest } from "fastify";
import * as z from "zod";

import { QueueUnavailableError, type WorkerQueue } from "../queue.ts";
import { type Handlers, handlersOf, RefusedError } from "./handlers.ts";
import { requests, type Requests } from "./messages.ts";
import { Tickets } from "./tickets.ts";
import type { HostOf } from "./tokens.ts";

export interface LeaseServerOptions {
  readonly queue: WorkerQueue;
  /** See `tokenFile`. */
  readonly hostOf: HostOf;
  /** Signs leases. With the same secret, leases outlive a restart of the server. Default: random. */
  readonly secret?: string | undefined;
  /** The metrics at `/metrics`, for clients with a token. Default: none. */
  readonly metrics?: MetricsText | undefined;
  /** The maximum size of a request's body in bytes. Default 64 MiB. */
  readonly bodyLimit?: number | undefined;
  /** The milliseconds in which a client must send its headers; the whole request may take four times as long. Default 30,000. */
  readonly clientTimeout?: number | undefined;
  /** A certificate and its key, in PEM. Default: plain HTTP, for a proxy with TLS or a private network. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
}

export type MetricsText = () => Promise<{ readonly type: string; readonly text: string }>;

/**
 * Serves the worker's half of a queue over HTTP. Hosts need a token, and never see the database. A host can return only its own
 * leases, with the rollouts of these leases. The server stores nothing, so it can be killed and restarted at any time.
 */
export function leaseServer(options: LeaseServerOptions): FastifyInstance {
  const { queue, hostOf, metrics, bodyLimit = 64 * 2 ** 20, clientTimeout = 30_000 } = options;
  const app = createApp(bodyLimit, clientTimeout, options.tls);
  const tickets = new Tickets(options.secret ?? randomBytes(32).toString("hex"));
  const handlers = handlersOf(queue, tickets);
  const hosts = new WeakMap<FastifyRequest, string>();

  app.setErrorHandler(async (error: FastifyError, request, reply) => {
    const { status, detail } = failureOf(error);
    if (status >= 500) request.log.error({ err: error });
    return await reply.code(status).send({ detail });
  });
  app.setNotFoundHandler(async (_request, reply) => {
    await reply.code(404).send({ detail: "This path is unknown. Do versions of envs differ?" });
  });
  app.get("/health", async () => ({ status: "healthy" }));
  void app.register(async (scope) => {
    // Runs before the body is read, because only hosts with a token may send one.
    scope.addHook("onRequest", async (request, reply) => {
      const host = await hostOf(bearerToken(request));
      if (host === undefined)
        return await reply
          .code(401)
          .send({ detail: "The token of this host is missing or unknown." });
      hosts.set(request, host);
      return undefined;
    });
    if (metrics !== undefined)
      scope.get("/metrics", async (_request, reply) => {
        const { type, text } = await metrics();
        return await reply.type(type).send(text);
      });
    for (const path of Object.keys(requests) as (keyof Requests)[])
      scope.post(path, async (request, reply) => {
        const disconnected = new AbortController();
        reply.raw.once("close", () => {
          if (!reply.raw.writableFinished) disconnected.abort();
        });
        const call = { host: hosts.get(request)!, signal: disconnected.signal };
        return await answer(handlers, path, { body: request.body, call });
      });
  });
  return app;
}

function createApp(
  bodyLimit: number,
  clientTimeout: number,
  tls: LeaseServerOptions["tls"],
): FastifyInstance {
  const limits = {
    bodyLimit,
    forceCloseConnections: true,
    requestTimeout: 4 * clientTimeout,
    logger: { level: "error", redact: ["req.headers.authorization"], stream: process.stderr },
  };
  const timeouts = {
    headersTimeout: clientTimeout,
    connectionsCheckingInterval: Math.min(clientTimeout / 4, 5000),
  };
  return tls === undefined
    ? fastify({ ...limits, http: timeouts })
    : fastify({ ...limits, https: { ...timeouts, ...tls } });
}

async function answer<Path extends keyof Requests>(
  handlers: Handlers,
  path: Path,
  { body, call }: { readonly body: unknown; readonly call: Parameters<Handlers[Path]>[1] },
): Promise<unknown> {
  const parsed = requests[path].safeParse(body);
  if (!parsed.success)
    throw new RefusedError(422, `The request is not valid: ${z.prettifyError(parsed.error)}`);
  return await handlers[path](parsed.data, call);
}

function bearerToken({ headers }: FastifyRequest): string {
  return /^Bearer (?<token>\S+)$/i.exec(headers.authorization ?? "")?.groups?.["token"] ?? "";
}

/** Converts errors for clients: database errors are logged, and clients only receive that they may retry. */
function failureOf(error: FastifyError): { readonly status: number; readonly detail: string } {
  if (error instanceof QueueUnavailableError)
    return { status: 503, detail: "The queue is not available at the moment." };
  const { statusCode: status = 500 } = error;
  return status < 500
    ? { status, detail: messageOf(error).slice(0, 2000) }
    : { status, detail: "The queue failed. Its log has the reason." };
}
