import { ConfigError } from "@envs/core";

/** The work of one sandbox, one task at a time until it is closed. */
export class Turns {
  readonly #owner: AbortSignal | undefined;
  readonly #closing = new AbortController();
  readonly #close = () => this.#closing.abort(this.#owner?.reason);
  #last: Promise<unknown> = Promise.resolve();

  /** The signal of the sandbox's options closes it. */
  constructor(signal: AbortSignal | undefined) {
    this.#owner = signal;
    if (signal?.aborted === true) this.#close();
    signal?.addEventListener("abort", this.#close, { once: true });
  }

  /** Aborts when the sandbox is closed. */
  get closed(): AbortSignal {
    return this.#closing.signal;
  }

  /** Runs work after the work before it. Rejects if the sandbox is closed. */
  next<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      this.closed.throwIfAborted();
      return work();
    });
    this.#last = turn.catch(() => {});
    return turn;
  }

  /** Ends the work, and waits until it has ended. */
  async close(): Promise<void> {
    this.#owner?.removeEventListener("abort", this.#close);
    this.#closing.abort(new ConfigError("The sandbox is closed. Call create() for another one."));
    await this.#last;
  }
}

/** Waits for work until a time limit or a signal ends the wait, which gives `undefined`. */
export async function waitFor<T>(
  work: Promise<T>,
  ms: number,
  signals: readonly (AbortSignal | undefined)[],
): Promise<T | undefined> {
  const { promise: end, resolve } = Promise.withResolvers<undefined>();
  const stop = (): void => resolve(undefined);
  const timer = setTimeout(stop, ms);
  for (const signal of signals) {
    if (signal?.aborted === true) stop();
    signal?.addEventListener("abort", stop, { once: true });
  }
  // Abandoned work may still fail.
  work.catch(() => {});
  try {
    return await Promise.race([work, end]);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal?.removeEventListener("abort", stop);
  }
}
