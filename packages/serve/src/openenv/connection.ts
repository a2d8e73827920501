import type { RawData, WebSocket } from "ws";

import { ServeError } from "../failure.ts";
import type { Sessions } from "../sessions.ts";
import { readAction } from "./action.ts";
import { errorData, type ErrorData, isLast } from "./error-data.ts";
import { type Frame, readFrame, UnknownFrameError } from "./frame.ts";
import type { Game } from "./game.ts";
import { answerMcp } from "./mcp.ts";

/** How much may wait on one socket before the server stops reading from it. */
const most = { frames: 16, bytes: 2 ** 20 };

/** What connections share. */
export interface ConnectionOptions {
  readonly sessions: Sessions;
  /** Takes what must not be told. */
  readonly log: (error: unknown) => void;
}

/** One socket and the session that it speaks for. Frames are served one at a time, in order. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #game: Game;
  readonly #options: ConnectionOptions;
  readonly #isOwner: boolean;
  #waiting: (Buffer | undefined)[] = [];
  #bytes = 0;
  #isBusy = false;
  #isOver = false;

  /** `isOwner`: the session ends with the socket. */
  constructor(
    socket: WebSocket,
    { game, isOwner }: { readonly game: Game; readonly isOwner: boolean },
    options: ConnectionOptions,
  ) {
    this.#socket = socket;
    this.#game = game;
    this.#isOwner = isOwner;
    this.#options = options;
    game.isAttached = true;
    game.session.onClosed = () => socket.close(1001, "The session was closed.");
    socket.on("message", (data, isBinary) => this.#take(data, isBinary));
    socket.on("ping", () => this.#hear());
    // `close` follows every error.
    socket.on("error", () => undefined);
    socket.on("close", () => this.#end());
  }

  #hear(): void {
    this.#game.session.lastHeard = performance.now();
  }

  #take(data: RawData, isBinary: boolean): void {
    if (this.#isOver) return;
    this.#hear();
    const frame = data as Buffer;
    this.#waiting.push(isBinary ? undefined : frame);
    this.#bytes += frame.length;
    if (this.#waiting.length >= most.frames || this.#bytes >= most.bytes) this.#socket.pause();
    if (!this.#isBusy) void this.#serve();
  }

  async #serve(): Promise<void> {
    this.#isBusy = true;
    while (this.#waiting.length > 0) {
      const frame = this.#waiting.shift();
      await this.#answer(frame);
      this.#bytes -= frame?.length ?? 0;
      if (this.#isOver) break;
      if (this.#socket.isPaused && this.#waiting.length < most.frames / 2) this.#socket.resume();
    }
    this.#isBusy = false;
  }

  async #answer(data: Buffer | undefined): Promise<void> {
    let isReset = false;
    try {
      if (data === undefined)
        throw new UnknownFrameError("INVALID_JSON", "The frame is binary. Send an object as text.");
      const frame = readFrame(data.toString());
      isReset = frame.type === "reset";
      if (frame.type === "close") this.#close();
      else await this.#send(await this.#serveFrame(frame));
    } catch (error) {
      await this.#sendError(this.#errorData(error, isReset));
    }
  }

  async #serveFrame(frame: Exclude<Frame, { type: "close" }>): Promise<unknown> {
    const game = this.#game;
    switch (frame.type) {
      case "reset":
        return { type: "observation", data: await game.reset(frame.data) };
      case "step": {
        const action = readAction(game.served, frame.data, ["data"]);
        return { type: "observation", data: await game.step(action) };
      }
      case "state":
        return { type: "state", data: game.state() };
      case "mcp": {
        const { sessions, log } = this.#options;
        const caller = { served: game.served, sessions, log, bound: game };
        return { type: "mcp", data: await answerMcp(frame.data, caller) };
      }
    }
  }

  #errorData(error: unknown, isReset: boolean): ErrorData {
    if (error instanceof UnknownFrameError) return { message: error.message, code: error.code };
    const data = errorData(error, { name: this.#game.served.host.card.name, isReset });
    if (data.code === "EXECUTION_ERROR" && !(error instanceof ServeError)) this.#options.log(error);
    return data;
  }

  async #sendError(data: ErrorData): Promise<void> {
    await this.#send({ type: "error", data });
    if (isLast(data)) this.#close();
  }

  /** Resolves once the frame has left: a client that does not read is not served on. */
  #send(frame: unknown): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    const text = JSON.stringify(frame);
    return new Promise((resolve) => {
      this.#socket.send(text, () => resolve());
    });
  }

  #close(): void {
    this.#end();
    // Nothing more is served, but the client's farewell must be read.
    if (this.#socket.isPaused) this.#socket.resume();
    this.#socket.close(1000);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waiting = [];
    const { session } = this.#game;
    session.onClosed = undefined;
    this.#game.isAttached = false;
    if (this.#isOwner || this.#game.isClosing)
      void this.#options.sessions.close(session).catch(this.#options.log);
  }
}
