import { once } from "node:events";

import { WebSocket } from "ws";

/** An answer of the server. */
export interface Answer {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A client of OpenEnv's sockets that can also say what real clients never do. */
export class OpenenvSocket implements AsyncDisposable {
  readonly socket: WebSocket;
  readonly #answers: Answer[] = [];
  readonly #waiting: ((answer: Answer | undefined) => void)[] = [];
  readonly closed: Promise<number>;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on("message", (data: Buffer) => {
      const answer = JSON.parse(data.toString()) as Answer;
      const next = this.#waiting.shift();
      if (next === undefined) this.#answers.push(answer);
      else next(answer);
    });
    socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => {
      socket.on("close", (code) => {
        for (const next of this.#waiting.splice(0)) next(undefined);
        resolve(code);
      });
    });
  }

  static async open(url: string, path = "/ws", headers: Record<string, string> = {}) {
    const socket = new WebSocket(`${url.replace("http", "ws")}${path}`, { headers });
    const opened = new OpenenvSocket(socket);
    await once(socket, "open");
    return opened;
  }

  /** Sends an object as JSON; text and bytes as they are. */
  send(frame: object | string | Buffer): void {
    this.socket.send(
      typeof frame === "string" || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame),
    );
  }

  /** The next answer; `undefined` if the socket closes before. */
  next(): Promise<Answer | undefined> {
    const answer = this.#answers.shift();
    if (answer !== undefined) return Promise.resolve(answer);
    if (this.socket.readyState === WebSocket.CLOSED) return Promise.resolve(undefined);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  ask(frame: object | string | Buffer): Promise<Answer | undefined> {
    this.send(frame);
    return this.next();
  }

  /** What an action leads to. */
  step(data: object): Promise<Answer | undefined> {
    return this.ask({ type: "step", data });
  }

  reset(data: object = {}): Promise<Answer | undefined> {
    return this.ask({ type: "reset", data });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }
}

/** Waits until something holds. */
export async function until(holds: () => unknown): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
