interface Port {
  postMessage(text: string): void;
}

/** Longer messages go alone: several of them may be more than one string can hold. */
const longest = 2 ** 16;

/** Sends messages as JSON to another thread: all that come in one round of the event loop at once, which costs a third. */
export class Outbox {
  readonly #port: Port;
  #waiting: string[] = [];

  constructor(port: Port) {
    this.#port = port;
  }

  /** Throws if a message is no JSON; the others go. */
  send(message: unknown): void {
    const text = JSON.stringify(message);
    if (text.length > longest) {
      this.#flush();
      this.#port.postMessage(`[${text}]`);
    } else if (this.#waiting.push(text) === 1) setImmediate(() => this.#flush());
  }

  #flush(): void {
    const all = this.#waiting;
    if (all.length === 0) return;
    this.#waiting = [];
    this.#port.postMessage(`[${all.join(",")}]`);
  }
}

/** The messages that an {@link Outbox} sent together. */
export function unpacked(text: string): readonly unknown[] {
  return JSON.parse(text) as readonly unknown[];
}
