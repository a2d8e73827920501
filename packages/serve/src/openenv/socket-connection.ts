import type { Duplex } from "node:stream";

import { WebSocket } from "ws";

import type { ServedEnvironment } from "../context.ts";
import { ServeError } from "../errors.ts";
import type { IncomingBytes } from "../http/incoming-bytes.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { readAction } from "./action.ts";
import { FrameQueue, type RawFrame } from "./frame-queue.ts";
import {
  closesSocket,
  errorFrameData,
  type ErrorFrameData,
  type Frame,
  FrameError,
  readFrame,
} from "./frame.ts";
import { answerMcp } from "./mcp.ts";
import type { OpenenvSession } from "./openenv-session.ts";
import { openSession } from "./openenv-sessions.ts";
import type { PendingConnection, PendingConnections } from "./pending-connections.ts";
import { encodeTextFrame } from "./text-frame.ts";

/** The state that all connections of a server share. */
export interface ConnectionContext {
  readonly sessions: Sessions;
  readonly pendingConnections: PendingConnections;
  readonly incomingBytes: IncomingBytes;
  /** Logs errors that clients must not see. */
  readonly log: (error: unknown) => void;
}

/** The address of a socket. */
export interface SocketTarget {
  readonly environment: ServedEnvironment;
  /** The session that the client named. Default: a new one. */
  readonly session?: OpenenvSession | undefined;
  /** The TCP stream of the socket. */
  readonly stream: Duplex;
}

const tooManyPending = new ServeError(
  "capacity",
  "Too many idle connections. Open a socket when you need its session.",
);

/** A socket and its session, which opens with the first frame. Frames are answered one at a time, in order. */
export class SocketConnection implements PendingConnection {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #environment: ServedEnvironment;
  readonly #context: ConnectionContext;
  /** Whether the session closes with the socket. */
  readonly #ownsSession: boolean;
  #session: OpenenvSession | undefined;
  readonly #queue: FrameQueue;
  #isBusy = false;
  #isClosed = false;

  constructor(
    socket: WebSocket,
    { environment, session, stream }: SocketTarget,
    context: ConnectionContext,
  ) {
    this.#socket = socket;
    this.#stream = stream;
    this.#environment = environment;
    this.#context = context;
    this.#ownsSession = session === undefined;
    if (session === undefined) context.pendingConnections.touch(this);
    else this.#attach(session);
    const { incomingBytes } = context;
    const onFrame = (): void => this.#handleFrame();
    this.#queue = new FrameQueue(socket, { stream, incomingBytes, onFrame });
    socket.on("ping", () => this.#resetIdleTimeout());
    // A close event follows each error.
    socket.on("error", () => undefined);
    socket.on("close", () => this.#end());
  }

  closeIdle(): void {
    this.#context.pendingConnections.remove(this);
    this.#socket.close(1001, "The connection was idle for too long.");
  }

  closeExcess(): void {
    this.#context.pendingConnections.remove(this);
    void this.#sendError(this.#errorData(tooManyPending, false));
  }

  #open(): OpenenvSession {
    if (this.#isClosed) throw new ServeError("closed", "The socket was closed.");
    return this.#attach(openSession(this.#environment, this.#context.sessions));
  }

  #attach(session: OpenenvSession): OpenenvSession {
    this.#context.pendingConnections.remove(this);
    this.#session = session;
    session.isAttached = true;
    session.session.onClosed = () => this.#socket.close(1001, "The session was closed.");
    return session;
  }

  #resetIdleTimeout(): void {
    if (this.#session === undefined) this.#context.pendingConnections.touch(this);
    else this.#session.session.lastActiveAt = performance.now();
  }

  #handleFrame(): void {
    this.#resetIdleTimeout();
    if (!this.#isBusy) void this.#drainQueue();
  }

  async #drainQueue(): Promise<void> {
    this.#isBusy = true;
    while (!this.#queue.isEmpty) await this.#answer(this.#queue.shift());
    this.#isBusy = false;
  }

  async #answer(data: RawFrame): Promise<void> {
    let isReset = false;
    try {
      if (data === undefined)
        throw new FrameError("INVALID_JSON", "The frame is binary. Send a JSON object as text.");
      const frame = readFrame(data.toString());
      isReset = frame.type === "reset";
      if (frame.type === "close") this.#close();
      else await this.#send(await this.#execute(frame));
    } catch (error) {
      await this.#sendError(this.#errorData(error, isReset));
    }
  }

  async #execute(frame: Exclude<Frame, { type: "close" }>): Promise<unknown> {
    const { sessions, log } = this.#context;
    const session = this.#session ?? this.#open();
    switch (frame.type) {
      case "reset":
        return { type: "observation", data: await session.reset(frame.data) };
      case "step": {
        const action = readAction(session.environment, frame.data, ["data"]);
        return { type: "observation", data: await session.step(action) };
      }
      case "state":
        return { type: "state", data: session.state() };
      case "position":
        return { type: "position", data: await session.session.position() };
      case "mcp": {
        const { environment } = session;
        const caller = { environment, sessions, log, socketSession: session };
        return { type: "mcp", data: await answerMcp(frame.data, caller) };
      }
    }
  }

  #errorData(error: unknown, isReset: boolean): ErrorFrameData {
    if (error instanceof FrameError) return { message: error.message, code: error.code };
    const { sessions, log } = this.#context;
    const environmentName = this.#environment.host.card.name;
    const data = errorFrameData(error, { environmentName, sessions, isReset });
    if (data.code === "EXECUTION_ERROR" && !(error instanceof ServeError)) log(error);
    return data;
  }

  async #sendError(data: ErrorFrameData): Promise<void> {
    await this.#send({ type: "error", data });
    if (closesSocket(data)) this.#close();
  }

  /** Resolves once the frame is sent, so that the server stops answering a client that does not read. */
  #send(frame: unknown): Promise<void> {
    if (this.#isClosed || this.#socket.readyState !== WebSocket.OPEN) return Promise.resolve();
    return new Promise((resolve) => {
      this.#stream.write(encodeTextFrame(JSON.stringify(frame)), () => resolve());
    });
  }

  #close(): void {
    this.#end();
    // Resumes reading, because the socket must receive the client's close frame.
    if (this.#socket.isPaused) this.#socket.resume();
    this.#socket.close(1000);
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#queue.close();
    const { pendingConnections, sessions, log } = this.#context;
    pendingConnections.remove(this);
    const attached = this.#session;
    if (attached === undefined) return;
    const { session } = attached;
    session.onClosed = undefined;
    attached.isAttached = false;
    if (this.#ownsSession || attached.isClosing) void sessions.close(session).catch(log);
  }
}
