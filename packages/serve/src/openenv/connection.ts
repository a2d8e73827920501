import type { Duplex } from "node:stream";

import type { WebSocket } from "ws";

import type { Served } from "../context.ts";
import { ServeError } from "../failure.ts";
import type { Intake } from "../intake.ts";
import type { Sessions } from "../sessions.ts";
import { readAction } from "./action.ts";
import { errorData, type ErrorData, isLast } from "./error-data.ts";
import { type Frame, readFrame, UnknownFrameError } from "./frame.ts";
import type { Game } from "./game.ts";
import { openGame } from "./games.ts";
import type { Guest, Guests } from "./guests.ts";
import { Inbox, type RawFrame } from "./inbox.ts";
import { answerMcp } from "./mcp.ts";

/** What connections share. */
export interface ConnectionOptions {
  readonly sessions: Sessions;
  readonly guests: Guests;
  readonly intake: Intake;
  /** Takes what must not be told. */
  readonly log: (error: unknown) => void;
}

/** What a socket is connected to. */
export interface Seat {
  readonly served: Served;
  /** The session that it speaks for. Default: one of its own. */
  readonly game?: Game | undefined;
  /** The connection under the socket. */
  readonly under: Duplex;
}

const tooManyGuests = new ServeError(
  "capacity",
  "Too many sockets are open that have asked for nothing. Open one when it is needed.",
);

/** One socket and the session that it speaks for, from its first frame on. Frames are served one at a time, in order. */
export class Connection implements Guest {
  readonly #socket: WebSocket;
  readonly #served: Served;
  readonly #options: ConnectionOptions;
  /** Whether the session ends with the socket. */
  readonly #isOwner: boolean;
  #game: Game | undefined;
  readonly #inbox: Inbox;
  #isBusy = false;
  #isOver = false;

  constructor(socket: WebSocket, { served, game, under }: Seat, options: ConnectionOptions) {
    this.#socket = socket;
    this.#served = served;
    this.#options = options;
    this.#isOwner = game === undefined;
    if (game === undefined) options.guests.hear(this);
    else this.#attach(game);
    const { intake } = options;
    this.#inbox = new Inbox(socket, { under, intake, onFrame: () => this.#take() });
    socket.on("ping", () => this.#hear());
    // `close` follows every error.
    socket.on("error", () => undefined);
    socket.on("close", () => this.#end());
  }

  dismiss(isCrowded: boolean): void {
    this.#options.guests.leave(this);
    if (isCrowded) void this.#sendError(this.#errorData(tooManyGuests, false));
    else this.#socket.close(1001, "This socket was silent for too long.");
  }

  get #name(): string {
    return this.#served.host.card.name;
  }

  #attach(game: Game): Game {
    this.#options.guests.leave(this);
    this.#game = game;
    game.isAttached = true;
    game.session.onClosed = () => this.#socket.close(1001, "The session was closed.");
    return game;
  }

  #hear(): void {
    if (this.#game === undefined) this.#options.guests.hear(this);
    else this.#game.session.lastHeard = performance.now();
  }

  #take(): void {
    this.#hear();
    if (!this.#isBusy) void this.#serve();
  }

  async #serve(): Promise<void> {
    this.#isBusy = true;
    while (!this.#inbox.isEmpty) await this.#answer(this.#inbox.take());
    this.#isBusy = false;
  }

  async #answer(data: RawFrame): Promise<void> {
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
    const { sessions, log } = this.#options;
    const game = this.#game ?? this.#attach(openGame(this.#served, sessions));
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
        const caller = { served: game.served, sessions, log, bound: game };
        return { type: "mcp", data: await answerMcp(frame.data, caller) };
      }
    }
  }

  #errorData(error: unknown, isReset: boolean): ErrorData {
    if (error instanceof UnknownFrameError) return { message: error.message, code: error.code };
    const data = errorData(error, { ...this.#options, name: this.#name, isReset });
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
    this.#inbox.close();
    this.#options.guests.leave(this);
    const game = this.#game;
    if (game === undefined) return;
    const { session } = game;
    session.onClosed = undefined;
    game.isAttached = false;
    if (this.#isOwner || game.isClosing)
      void this.#options.sessions.close(session).catch(this.#options.log);
  }
}
