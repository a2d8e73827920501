import { once } from "node:events";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";

import type { FastifyInstance } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";

import type { ServeContext, ServedEnvironment } from "../context.ts";
import { retryAfterSeconds, ServeError } from "../errors.ts";
import type { Access } from "../http/access.ts";
import { errorFrameData } from "./frame.ts";
import type { OpenenvSession } from "./openenv-session.ts";
import { findSession } from "./openenv-sessions.ts";
import { PendingConnections } from "./pending-connections.ts";
import { type ConnectionContext, SocketConnection } from "./socket-connection.ts";

/** How long clients have to complete the closing handshake when the server stops. */
const closeTimeoutMs = 500;

/** OpenEnv over WebSockets: `/ws` for the first environment, `/<environment>/ws` for each. */
export function openenvSockets(
  app: FastifyInstance,
  { environments, first, sessions, incomingBytes }: ServeContext,
  access: Access,
): { close(): Promise<void> } {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: 100 * 2 ** 20,
  });
  const pendingConnections = new PendingConnections(sessions.limits);
  const context: ConnectionContext = {
    sessions,
    pendingConnections,
    incomingBytes,
    log: (error) => app.log.error({ err: error }),
  };
  const environmentByPath = new Map<string, ServedEnvironment>([["/ws", first]]);
  for (const [name, environment] of environments)
    environmentByPath.set(`/${encodeURIComponent(name).toLowerCase()}/ws`, environment);

  app.server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    stream.on("error", () => stream.destroy());
    const { path, sessionId } = parseUrl(request);
    const environment = environmentByPath.get(path);
    const problem = access.problem(request.headers);
    if (problem !== undefined) rejectUpgrade(stream, problem.status, problem.detail);
    else if (environment === undefined)
      rejectUpgrade(stream, 404, "This server has no socket at this path.");
    else if (sessions.isDraining) rejectUpgrade(stream, 503, "The server is shutting down.");
    else
      server.handleUpgrade(request, stream, head, (socket) =>
        connect(socket, { environment, sessionId, stream }, context),
      );
  });

  return {
    async close() {
      pendingConnections.close();
      const open = [...server.clients];
      const closed = Promise.all(open.map((socket) => once(socket, "close")));
      for (const socket of open) socket.close(1001, "The server is closing.");
      const timer = setTimeout(() => {
        for (const socket of open) socket.terminate();
      }, closeTimeoutMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

interface SocketAddress {
  readonly environment: ServedEnvironment;
  /** A session that the client created over MCP. */
  readonly sessionId: string | undefined;
  readonly stream: Duplex;
}

function connect(
  socket: WebSocket,
  { environment, sessionId, stream }: SocketAddress,
  context: ConnectionContext,
): void {
  const { sessions } = context;
  try {
    const session =
      sessionId === undefined
        ? undefined
        : requireUnattached(findSession(environment, sessions, sessionId));
    void new SocketConnection(socket, { environment, session, stream }, context);
  } catch (error) {
    socket.on("error", () => undefined);
    const environmentName = environment.host.card.name;
    const data = errorFrameData(error, { environmentName, sessions });
    socket.send(JSON.stringify({ type: "error", data }), () => socket.close(1000));
  }
}

function requireUnattached(session: OpenenvSession | undefined): OpenenvSession {
  if (session === undefined)
    throw new ServeError("closed", "There is no session with this id. Create one first.");
  if (!session.isAttached && !session.isClosing) return session;
  throw new ServeError("closed", "Another socket uses this session. Close that socket first.");
}

function parseUrl({ url = "/" }: IncomingMessage): {
  path: string;
  sessionId: string | undefined;
} {
  const [path = "", query = ""] = url.split("?", 2);
  const sessionId = new URLSearchParams(query).get("session_id") ?? "";
  return {
    path: path.replace(/\/$/u, "").toLowerCase(),
    sessionId: sessionId === "" ? undefined : sessionId,
  };
}

function rejectUpgrade(stream: Duplex, status: 401 | 403 | 404 | 503, detail: string): void {
  const body = JSON.stringify({ detail });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Connection: close",
    ...(status === 503 ? [`Retry-After: ${retryAfterSeconds}`] : []),
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  stream.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => stream.destroy());
}
