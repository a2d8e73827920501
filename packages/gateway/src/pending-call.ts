import { onAbort } from "@envs/core/engine";
import type { HttpReply } from "@envs/models/server";

export interface PendingCallOptions {
  readonly isStream: boolean;
  /** The milliseconds that the call continues without a client. */
  readonly retryGrace: number;
  /** Asks the model. Events passed to `write` reach clients before the reply, which contains only the rest. */
  readonly ask: (signal: AbortSignal, write: (event: string) => void) => Promise<HttpReply>;
}

/**
 * A model call from its request until a client has the reply. An SDK that repeats a request, because its connection broke or
 * timed out, joins the call: it is asked and recorded once.
 */
export class PendingCall {
  readonly isStream: boolean;
  isSettled = false;
  hasFailed = false;
  readonly #retryGrace: number;
  readonly #controller = new AbortController();
  readonly #reply: Promise<HttpReply>;
  readonly #written: string[] = [];
  readonly #readers = new Set<(event: string) => void>();
  /** The clients that wait for the reply or have received it. */
  #clients = 0;

  constructor({ isStream, retryGrace, ask }: PendingCallOptions) {
    this.isStream = isStream;
    this.#retryGrace = retryGrace;
    this.#reply = this.#settle(ask);
    // Without a client, no code awaits the reply.
    this.#reply.catch(() => undefined);
  }

  async #settle(ask: PendingCallOptions["ask"]): Promise<HttpReply> {
    try {
      return await ask(this.#controller.signal, (event) => {
        this.#written.push(event);
        for (const reader of this.#readers) reader(event);
      });
    } catch (error) {
      this.hasFailed = true;
      throw error;
    } finally {
      this.isSettled = true;
    }
  }

  /** Whether all clients have disconnected before they received the reply. */
  get isAbandoned(): boolean {
    return this.#clients === 0;
  }

  /** Waits for the reply. `disconnected` is aborted if the client disconnects before it has received all of it. */
  join(disconnected: AbortSignal): Promise<HttpReply> {
    this.#clients += 1;
    onAbort(disconnected, () => this.#leave());
    return this.#reply;
  }

  /** Passes on the events that were written before the reply, and those that follow, until the client disconnects. */
  read(reader: (event: string) => void, disconnected: AbortSignal): void {
    for (const event of this.#written) reader(event);
    this.#readers.add(reader);
    disconnected.addEventListener("abort", () => this.#readers.delete(reader), { once: true });
  }

  /** Cancels the call, unless it has ended. */
  cancel(reason: Error): void {
    this.#controller.abort(reason);
  }

  #leave(): void {
    this.#clients -= 1;
    if (!this.isAbandoned || this.isSettled) return;
    const timer = setTimeout(() => {
      if (this.isAbandoned) this.cancel(new Error("The client disconnected."));
    }, this.#retryGrace);
    // A session that ends cancels its calls itself.
    timer.unref();
  }
}
