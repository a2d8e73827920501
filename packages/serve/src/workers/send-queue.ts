/** The maximum number of turns of the event loop for which a message waits for more calls. */
const maxTurns = 4;

/** Delays messages while frames arrive, so that one message has many calls: a message costs as much as a step. */
export class SendQueue {
  readonly #sends = new Set<() => void>();
  #hasNew = false;
  #turns = 0;

  /** Calls `send` soon, once for all earlier requests. */
  add(send: () => void): void {
    this.#hasNew = true;
    if (this.#sends.size === 0) setImmediate(() => this.#check());
    this.#sends.add(send);
  }

  #check(): void {
    this.#turns += 1;
    if (this.#hasNew && this.#turns < maxTurns) {
      this.#hasNew = false;
      setImmediate(() => this.#check());
      return;
    }
    const sends = [...this.#sends];
    this.#sends.clear();
    this.#turns = 0;
    for (const send of sends) send();
  }
}
