import type { Duplex } from "node:stream";

import type { WebSocket } from "ws";

import type { Intake, Sender } from "../intake.ts";

/** How much may wait on one socket before the server stops reading from it. */
const most = { frames: 16, bytes: 2 ** 20 };

/** What is not worth counting. */
const little = 2 ** 14;

/** A frame's text as bytes; `undefined` if it is binary. */
export type RawFrame = Buffer | undefined;

/** What an inbox needs to know of its socket. */
export interface InboxOptions {
  /** The connection under the socket. */
  readonly under: Duplex;
  readonly intake: Intake;
  /** Hears of each frame that has come. */
  readonly onFrame: () => void;
}

/** The frames of one socket that wait to be served. */
export class Inbox implements Sender {
  readonly #socket: WebSocket;
  readonly #options: InboxOptions;
  #frames: RawFrame[] = [];
  /** Of these frames. */
  #bytes = 0;
  /** How much has come of the next frame. */
  #begun = 0;
  #isCounted = false;
  #isClosed = false;

  constructor(socket: WebSocket, options: InboxOptions) {
    this.#socket = socket;
    this.#options = options;
    // Before the socket reads it: a frame that is whole then has come with this.
    options.under.prependListener("data", (chunk: Buffer) => {
      this.#begun += chunk.length;
      this.#count();
    });
    socket.on("message", (data, isBinary) => this.#add(data as Buffer, isBinary));
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0;
  }

  /** The frame that came first. */
  take(): RawFrame {
    const frame = this.#frames.shift();
    this.#bytes -= frame?.length ?? 0;
    this.#count();
    const { frames, bytes } = most;
    if (this.#socket.isPaused && this.#frames.length < frames / 2 && this.#bytes < bytes)
      this.#socket.resume();
    return frame;
  }

  refuse(): void {
    this.close();
    this.#socket.close(1013, "This server is receiving too much at once. Send less, or later.");
    // What it has sent so far must go now.
    this.#socket.terminate();
  }

  /** Gives up what waits, and all that comes. */
  close(): void {
    this.#isClosed = true;
    this.#frames = [];
    this.#bytes = 0;
    this.#begun = 0;
    this.#count();
  }

  #add(data: Buffer, isBinary: boolean): void {
    if (this.#isClosed) return;
    this.#begun = 0;
    this.#frames.push(isBinary ? undefined : data);
    this.#bytes += isBinary ? 0 : data.length;
    this.#count();
    if (this.#frames.length >= most.frames || this.#bytes >= most.bytes) this.#socket.pause();
    this.#options.onFrame();
  }

  #count(): void {
    const bytes = this.#isClosed ? 0 : this.#bytes + this.#begun;
    if (bytes < little && !this.#isCounted) return;
    this.#isCounted = bytes >= little;
    this.#options.intake.set(this, this.#isCounted ? bytes : 0);
  }
}
