import { once } from "node:events";

import { WebSocket } from "ws";

/** A frame of the server. */
export interface ResponseFrame {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A client of OpenEnv's sockets that can also send invalid frames. */
export class OpenenvSocket implements AsyncDisposable {
  readonly socket: WebSocket;
  readonly #unreadFrames: ResponseFrame[] = [];
  readonly #readers: ((frame: ResponseFrame | undefined) => void)[] = [];
  /** Resolves to the close code. */
  readonly closed: Promise<number>;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data: Buffer) => {
      const frame = JSON.parse(data.toString()) as ResponseFrame;
      const reader = this.#readers.shift();
      if (reader === undefined) this.#unreadFrames.push(frame);
      else reader(frame);
    });
    socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => {
      socket.on("close", (code) => {
        for (const reader of this.#readers.splice(0)) reader(undefined);
        resolve(code);
      });
    });
  }

  static async open(url: string, path = "/ws", headers: Record<string, string> = {}) {
    const socket = new WebSocket(`${url.replace("http", "ws")}${path}`, { headers });
    const client = new OpenenvSocket(socket);
    await once(socket, "open");
    return client;
  }

  /** Sends an object as JSON; text and bytes as they are. */
  send(frame: object | string | Buffer): void {
    this.socket.send(
      typeof frame === "string" || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame),
    );
  }

  /** Returns the next frame; `undefined` if the socket closes first. */
  next(): Promise<ResponseFrame | undefined> {
    const frame = this.#unreadFrames.shift();
    if (frame !== undefined) return Promise.resolve(frame);
    if (this.socket.readyState === WebSocket.CLOSED) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#readers.push(resolve));
  }

  request(frame: object | string | Buffer): Promise<ResponseFrame | undefined> {
    this.send(frame);
    return this.next();
  }

  step(data: object): Promise<ResponseFrame | undefined> {
    return this.request({ type: "step", data });
  }

  reset(data: object = {}): Promise<ResponseFrame | undefined> {
    return this.request({ type: "reset", data });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }
}

/** Polls until the condition is true. */
export async function until(condition: () => unknown): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
}
