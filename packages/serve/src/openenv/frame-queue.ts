import type { Duplex } from "node:stream";

import type { WebSocket } from "ws";

import type { IncomingBytes, Sender } from "../http/incoming-bytes.ts";

/** The limits of a socket's queue, at which the server stops reading from the socket. */
const limits = { frames: 16, bytes: 2 ** 20 };

/** The minimum size of a queue that counts as incoming bytes. */
const minCountedBytes = 2 ** 14;

/** The bytes of a text frame; `undefined` for a binary frame. */
export type RawFrame = Buffer | undefined;

/** Options of a {@link FrameQueue}. */
export interface FrameQueueOptions {
  /** The TCP stream of the socket. */
  readonly stream: Duplex;
  readonly incomingBytes: IncomingBytes;
  /** Called after each frame that was added. */
  readonly onFrame: () => void;
}

/** The received frames of one socket. */
export class FrameQueue implements Sender {
  readonly #socket: WebSocket;
  readonly #options: FrameQueueOptions;
  #frames: RawFrame[] = [];
  #queuedBytes = 0;
  /** The received bytes of the next, incomplete frame. */
  #partialBytes = 0;
  #isCounted = false;
  #isClosed = false;

  constructor(socket: WebSocket, options: FrameQueueOptions) {
    this.#socket = socket;
    this.#options = options;
    // Runs before the socket parses the chunk, so that #add can reset the counter when the chunk completes a frame.
    options.stream.prependListener("data", (chunk: Buffer) => {
      this.#partialBytes += chunk.length;
      this.#updateCount();
    });
    socket.on("message", (data, isBinary) => this.#add(data as Buffer, isBinary));
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0;
  }

  /** Removes and returns the oldest frame. */
  shift(): RawFrame {
    const frame = this.#frames.shift();
    this.#queuedBytes -= frame?.length ?? 0;
    this.#updateCount();
    const isHalfEmpty = this.#frames.length < limits.frames / 2 && this.#queuedBytes < limits.bytes;
    if (this.#socket.isPaused && isHalfEmpty) this.#socket.resume();
    return frame;
  }

  reject(): void {
    this.close();
    this.#socket.close(1013, "This server is receiving too much at once. Try again later.");
    // Frees the partial frame at once.
    this.#socket.terminate();
  }

  /** Discards the queue and all later frames. */
  close(): void {
    this.#isClosed = true;
    this.#frames = [];
    this.#queuedBytes = 0;
    this.#partialBytes = 0;
    this.#updateCount();
  }

  #add(data: Buffer, isBinary: boolean): void {
    if (this.#isClosed) return;
    this.#partialBytes = 0;
    this.#frames.push(isBinary ? undefined : data);
    this.#queuedBytes += isBinary ? 0 : data.length;
    this.#updateCount();
    if (this.#frames.length >= limits.frames || this.#queuedBytes >= limits.bytes)
      this.#socket.pause();
    this.#options.onFrame();
  }

  #updateCount(): void {
    const bytes = this.#isClosed ? 0 : this.#queuedBytes + this.#partialBytes;
    if (bytes < minCountedBytes && !this.#isCounted) return;
    this.#isCounted = bytes >= minCountedBytes;
    this.#options.incomingBytes.set(this, this.#isCounted ? bytes : 0);
  }
}
