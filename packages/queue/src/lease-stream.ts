import type { Lease } from "./queue.ts";

/** Leases that a worker has taken, read by the player of their run. */
export class LeaseStream implements AsyncIterable<Lease> {
  readonly #waiting: Lease[] = [];
  #isClosed = false;
  #wake = (): void => {};

  push(lease: Lease): void {
    this.#waiting.push(lease);
    this.#wake();
  }

  /** Ends the stream after the leases that wait. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Lease> {
    for (;;) {
      const lease = this.#waiting.shift();
      if (lease !== undefined) yield lease;
      else if (this.#isClosed) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
