import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

import type { FastifyInstance } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";

import type { ServeContext, Served } from "../context.ts";
import { ServeError } from "../failure.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { errorData } from "./error-data.ts";
import type { Game } from "./game.ts";
import { findGame } from "./games.ts";
import { Guests } from "./guests.ts";

/** How long clients may take to say goodbye when the server stops, in milliseconds. */
const farewell = 500;

/** OpenEnv over WebSockets: `/ws` for the first environment, `/<environment>/ws` for each. */
export function openenvSockets(
  app: FastifyInstance,
  { environments, first, sessions, intake }: ServeContext,
  isAllowed: (request: IncomingMessage) => boolean,
): { close(): void } {
  const server = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: 100 * 2 ** 20,
  });
  const guests = new Guests(sessions.limits);
  const options: ConnectionOptions = {
    sessions,
    guests,
    intake,
    log: (error) => app.log.error({ err: error }),
  };
  const paths = new Map<string, Served>([["/ws", first]]);
  for (const [name, served] of environments)
    paths.set(`/${encodeURIComponent(name).toLowerCase()}/ws`, served);

  app.server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => socket.destroy());
    const { path, sessionId } = addressOf(request);
    const served = paths.get(path);
    if (!isAllowed(request)) refuse(socket, "401 Unauthorized");
    else if (served === undefined) refuse(socket, "404 Not Found");
    else
      server.handleUpgrade(request, socket, head, (opened) =>
        connect(opened, { served, sessionId, under: socket }, options),
      );
  });

  return {
    close() {
      guests.close();
      for (const socket of server.clients) socket.close(1001, "The server is closing.");
      const late = setTimeout(() => {
        for (const socket of server.clients) socket.terminate();
      }, farewell);
      late.unref();
    },
  };
}

interface Address {
  readonly served: Served;
  /** Of a session that was made over HTTP. */
  readonly sessionId: string | undefined;
  readonly under: Duplex;
}

function connect(socket: WebSocket, address: Address, options: ConnectionOptions): void {
  const { served, sessionId, under } = address;
  const { sessions } = options;
  try {
    const game =
      sessionId === undefined ? undefined : unattached(findGame(served, sessions, sessionId));
    void new Connection(socket, { served, game, under }, options);
  } catch (error) {
    socket.on("error", () => undefined);
    const data = errorData(error, { name: served.host.card.name, sessions });
    socket.send(JSON.stringify({ type: "error", data }), () => socket.close(1000));
  }
}

function unattached(game: Game | undefined): Game {
  if (game === undefined) throw new ServeError("closed", "There is no session of this id here.");
  if (!game.isAttached && !game.isClosing) return game;
  throw new ServeError("closed", "Another socket speaks for this session: close that first.");
}

function addressOf({ url = "/" }: IncomingMessage): {
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

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
    socket.destroy(),
  );
}
