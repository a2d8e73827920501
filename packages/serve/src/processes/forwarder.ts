import { Agent, type IncomingMessage, request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { pipeline } from "node:stream/promises";

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { ServeError } from "../errors.ts";
import { needsSession, sessionIdInHeaders, sessionKeyInBody } from "../session-keys.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { SessionLocation } from "./messages.ts";
import type { PrimaryLink } from "./primary-link.ts";

/** The maximum number of sessions of other processes whose location is in memory. */
const maxLocations = 10_000;

/** Sends requests for sessions of other processes there, over Unix domain sockets. */
export class Forwarder {
  readonly #link: PrimaryLink;
  readonly #agent = new Agent({ keepAlive: true });
  /** Connections of clients. All others come from a forwarder, and are never forwarded again. */
  readonly #direct = new WeakSet<Duplex>();
  readonly #locations = new Map<string, SessionLocation>();
  #sessions: Sessions | undefined;

  constructor(link: PrimaryLink) {
    this.#link = link;
  }

  /** Adds a connection that a client opened. */
  addDirect(socket: Socket): void {
    this.#direct.add(socket);
  }

  /** Forwards requests of all routes, after the access check. */
  attach(app: FastifyInstance, sessions: Sessions): void {
    this.#sessions = sessions;
    app.addHook("onRequest", async ({ raw }, reply) => {
      const id = sessionIdInHeaders(raw);
      if (id === undefined || !this.#direct.has(raw.socket)) return;
      const socketPath = elsewhere(await this.#locate(id), raw);
      if (socketPath !== undefined) await this.#forward(raw, reply, { socketPath, id });
    });
    // Some bodies name the session.
    app.addHook("preValidation", async (request, reply) => {
      const { raw, body } = request;
      if (!this.#direct.has(raw.socket)) return;
      const key = sessionKeyInBody(raw.url ?? "/", body);
      if (key === undefined) return;
      const location =
        "id" in key ? await this.#locate(key.id) : await this.#link.call("claim", key.key);
      const socketPath = elsewhere(location, raw);
      const id = "id" in key ? key.id : key.key;
      if (socketPath !== undefined)
        await this.#forward(raw, reply, { socketPath, id, body: bodyOf(request) });
    });
  }

  /** Connects a WebSocket to its session in another process. Returns false if the session is here or nowhere. */
  async forwardUpgrade(
    request: IncomingMessage,
    stream: Duplex,
    { head, id }: { readonly head: Buffer; readonly id: string },
  ): Promise<boolean> {
    if (!this.#direct.has(stream)) return false;
    const location = await this.#locate(id);
    if (location.state !== "elsewhere") return false;
    const upstream = connect(location.socketPath);
    upstream.write(`${requestHead(request)}\r\n`);
    upstream.write(head);
    const ignore = (): void => undefined;
    // Either side may end first.
    pipeline(stream, upstream).catch(ignore);
    pipeline(upstream, stream).catch(ignore);
    return true;
  }

  async #locate(id: string): Promise<SessionLocation> {
    if (this.#sessions!.has(id)) return { state: "here" };
    const known = this.#locations.get(id);
    if (known !== undefined) return known;
    const location = await this.#link.call("locate", id);
    if (location.state === "elsewhere") {
      this.#locations.set(id, location);
      if (this.#locations.size > maxLocations)
        this.#locations.delete(this.#locations.keys().next().value!);
    }
    return location;
  }

  async #forward(
    request: IncomingMessage,
    reply: FastifyReply,
    { socketPath, id, body }: ForwardTarget,
  ): Promise<void> {
    const { method, url: path, headers } = request;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const upstream = httpRequest(
      { socketPath, agent: this.#agent, method, path, headers: forwardedHeaders(headers, body) },
      resolve,
    );
    upstream.on("error", reject);
    reply.raw.on("close", () => upstream.destroy());
    if (body === undefined) pipeline(request, upstream).catch(reject);
    else upstream.end(body);
    let response: IncomingMessage;
    try {
      response = await promise;
    } catch (error) {
      this.#locations.delete(id);
      throw lostSession(error);
    }
    reply.hijack();
    reply.raw.writeHead(response.statusCode!, endToEnd(response.headers));
    await pipeline(response, reply.raw).catch(() => reply.raw.destroy());
  }
}

/** The socket of another process; `undefined` if this process answers. Throws if the session was lost. */
function elsewhere(location: SessionLocation, request: IncomingMessage): string | undefined {
  if (location.state === "lost" && needsSession(request)) throw lostSession();
  return location.state === "elsewhere" ? location.socketPath : undefined;
}

interface ForwardTarget {
  readonly socketPath: string;
  readonly id: string;
  /** The body, if it was read already. */
  readonly body?: string | undefined;
}

function lostSession(cause?: unknown): ServeError {
  return new ServeError(
    "lost",
    "The process of this session ended, and its episode with it. Open another session.",
    { cause },
  );
}

function bodyOf({ body }: FastifyRequest): string {
  return typeof body === "string" ? body : JSON.stringify(body);
}

function forwardedHeaders(
  headers: IncomingMessage["headers"],
  body: string | undefined,
): IncomingMessage["headers"] {
  if (body === undefined) return endToEnd(headers);
  const { "transfer-encoding": _, ...rest } = endToEnd(headers);
  return { ...rest, "content-length": String(Buffer.byteLength(body)) };
}

/**
 * Removes headers that describe one connection (RFC 9110 §7.6.1). With the client's `connection: close`, the other process would
 * close the socket after its response, and the end of the request would fail with EPIPE.
 */
function endToEnd(headers: IncomingMessage["headers"]): IncomingMessage["headers"] {
  const { connection: _, "keep-alive": __, ...rest } = headers;
  return rest;
}

function requestHead({ method, url, rawHeaders }: IncomingMessage): string {
  let head = `${method} ${url} HTTP/1.1\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2)
    head += `${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`;
  return head;
}
