import { once } from "node:events";
import { connect, type Socket } from "node:net";

import type { EchoRequest } from "./echo-server.ts";
import { encodeFrame, opcodes, parseFrame } from "./frame.ts";

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

/** A request, encoded once, so that the load generator costs less than the server. */
export interface EncodedRequest {
  readonly frame: Buffer;
  /** Text that the response must contain. */
  readonly expected: Buffer;
}

/** Encodes a request as a text frame. */
export function encodeRequest({ message, expected }: EchoRequest): EncodedRequest {
  return {
    frame: encodeFrame(opcodes.text, Buffer.from(message)),
    expected: Buffer.from(expected),
  };
}

interface PendingResponse {
  readonly expected: Buffer;
  readonly resolve: () => void;
  readonly reject: (problem: Error) => void;
}

/** One session over a WebSocket, one request at a time. It uses a bare socket, because WebSocket libraries cost more time. */
export class EchoClient {
  readonly #socket: Socket;
  #unread: Buffer = Buffer.alloc(0);
  #isOpen = false;
  #pending: PendingResponse | undefined;
  #problem: Error | undefined;

  /** Connects immediately. */
  constructor(url: string) {
    const { hostname, port, host } = new URL(url);
    const buffer = Buffer.allocUnsafeSlow(4096);
    this.#socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      // One buffer for all reads, without the cost of streams.
      onread: {
        buffer,
        callback: (length) => {
          this.#onData(buffer.subarray(0, length));
          return true;
        },
      },
    });
    this.#socket.on("error", (error) => this.fail(error));
    this.#socket.on("close", () => this.fail(new Error("The server closed the socket.")));
    this.#socket.write(handshake(host));
  }

  /** Resolves when the server has accepted the handshake. */
  opened(): Promise<void> {
    return this.#response(Buffer.from("HTTP/1.1 101 "));
  }

  /** Resolves when the server returns the expected response, and rejects for another one. */
  send({ frame, expected }: EncodedRequest): Promise<void> {
    const response = this.#response(expected);
    this.#socket.write(frame);
    return response;
  }

  async close(): Promise<void> {
    if (this.#socket.destroyed) return;
    const closed = once(this.#socket, "close");
    this.#socket.write(encodeFrame(opcodes.close, Buffer.from([0x03, 0xe8])));
    await closed;
  }

  /** Closes the socket without a close frame, as when the client crashes. */
  drop(): void {
    this.#socket.destroy();
  }

  /** Rejects pending and later requests. */
  fail(problem: Error): void {
    this.#problem ??= problem;
    this.#pending?.reject(this.#problem);
    this.#pending = undefined;
  }

  #response(expected: Buffer): Promise<void> {
    if (this.#problem !== undefined) return Promise.reject(this.#problem);
    return new Promise((resolve, reject) => (this.#pending = { expected, resolve, reject }));
  }

  #onData(chunk: Buffer): void {
    let unread = this.#unread.length === 0 ? chunk : Buffer.concat([this.#unread, chunk]);
    if (!this.#isOpen) {
      const end = unread.indexOf("\r\n\r\n");
      if (end >= 0) {
        this.#isOpen = true;
        this.#onMessage(unread.subarray(0, end));
        unread = unread.subarray(end + 4);
      }
    }
    if (this.#isOpen)
      for (let frame = parseFrame(unread); frame !== undefined; frame = parseFrame(unread)) {
        if (frame.opcode === opcodes.text) this.#onMessage(frame.payload);
        else if (frame.opcode === opcodes.ping)
          this.#socket.write(encodeFrame(opcodes.pong, frame.payload));
        unread = unread.subarray(frame.end);
      }
    // A copy, because the next read overwrites the buffer.
    this.#unread = Buffer.from(unread);
  }

  #onMessage(message: Buffer): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending === undefined)
      this.fail(new Error(`The server sent an unexpected message: ${message.toString()}`));
    else if (message.includes(pending.expected)) pending.resolve();
    else pending.reject(new Error(`The server returned a wrong response: ${message.toString()}`));
  }
}
