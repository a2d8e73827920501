import { once } from "node:events";
import { connect, type Socket } from "node:net";

import { answeredFrame, frameOf, opcodes } from "./frame.ts";

const handshake = (host: string): string =>
  [
    "GET /ws HTTP/1.1",
    `Host: ${host}`,
    "Upgrade: websocket",
    "Connection: Upgrade",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==",
    "\r\n",
  ].join("\r\n");

/** The frames, created once: the load generator must cost less than the server. */
export interface Question {
  readonly frame: Buffer;
  /** What the answer must contain. */
  readonly answer: Buffer;
}

/** A question that is put as text, and a word that a right answer has. */
export function question(text: string, answer: string): Question {
  return { frame: frameOf(opcodes.text, Buffer.from(text)), answer: Buffer.from(answer) };
}

interface Waiting {
  readonly answer: Buffer;
  readonly resolve: () => void;
  readonly reject: (problem: Error) => void;
}

/** One session over a WebSocket, one question at a time, at the least cost: no library for WebSockets is as cheap. */
export class EchoClient {
  readonly #socket: Socket;
  #rest: Buffer = Buffer.alloc(0);
  #isOpen = false;
  #waiting: Waiting | undefined;
  #problem: Error | undefined;

  /** Connects at once. */
  constructor(url: string) {
    const { hostname, port, host } = new URL(url);
    const buffer = Buffer.allocUnsafeSlow(4096);
    this.#socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      // Reads go to one buffer, past the machinery of streams.
      onread: {
        buffer,
        callback: (length) => {
          this.#take(buffer.subarray(0, length));
          return true;
        },
      },
    });
    this.#socket.on("error", (error) => this.fail(error));
    this.#socket.on("close", () => this.fail(new Error("The server closed the socket.")));
    this.#socket.write(handshake(host));
  }

  /** Resolves once the server has taken the socket. */
  opened(): Promise<void> {
    return this.#answered(Buffer.from("HTTP/1.1 101 "));
  }

  /** Resolves when a question is answered as it should be. */
  ask({ frame, answer }: Question): Promise<void> {
    const answered = this.#answered(answer);
    this.#socket.write(frame);
    return answered;
  }

  async close(): Promise<void> {
    if (this.#socket.destroyed) return;
    const closed = once(this.#socket, "close");
    this.#socket.write(frameOf(opcodes.close, Buffer.from([0x03, 0xe8])));
    await closed;
  }

  /** Goes without a word, as a client whose machine fails. */
  drop(): void {
    this.#socket.destroy();
  }

  /** Rejects pending and later requests. */
  fail(problem: Error): void {
    this.#problem ??= problem;
    this.#waiting?.reject(this.#problem);
    this.#waiting = undefined;
  }

  #answered(answer: Buffer): Promise<void> {
    if (this.#problem !== undefined) return Promise.reject(this.#problem);
    return new Promise((resolve, reject) => (this.#waiting = { answer, resolve, reject }));
  }

  #take(chunk: Buffer): void {
    let rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    if (!this.#isOpen) {
      const end = rest.indexOf("\r\n\r\n");
      if (end >= 0) {
        this.#isOpen = true;
        this.#hear(rest.subarray(0, end));
        rest = rest.subarray(end + 4);
      }
    }
    if (this.#isOpen)
      for (let read = answeredFrame(rest); read !== undefined; read = answeredFrame(rest)) {
        if (read.opcode === opcodes.text) this.#hear(read.payload);
        else if (read.opcode === opcodes.ping)
          this.#socket.write(frameOf(opcodes.pong, read.payload));
        rest = rest.subarray(read.end);
      }
    // A copy: the next read goes to the same place.
    this.#rest = Buffer.from(rest);
  }

  #hear(said: Buffer): void {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting === undefined) this.fail(new Error(`The server says unasked: ${said.toString()}`));
    else if (said.includes(waiting.answer)) waiting.resolve();
    else waiting.reject(new Error(`The server answers: ${said.toString()}`));
  }
}
