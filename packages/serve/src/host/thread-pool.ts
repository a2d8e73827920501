import { ServeError } from "../errors.ts";
import type { EnvironmentCard } from "./episode-host.ts";
import { HostThread } from "./host-thread.ts";
import { errorMessage } from "./thread-errors.ts";
import type { ThreadSetup } from "./thread-messages.ts";

/** Options of a {@link ThreadPool}. */
export interface ThreadPoolOptions {
  readonly setup: ThreadSetup;
  readonly threads: number;
  /** Called when a thread ends unexpectedly, or cannot be replaced. */
  readonly onFailure: (cause: unknown) => void;
}

/** Threads that run episodes of the same environments. A thread that ends is replaced. */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  /** Threads that have loaded all environments. */
  readonly #ready = new Set<HostThread>();
  #starting: Promise<void> | undefined;
  #isClosing = false;
  cards: readonly EnvironmentCard[] = [];

  private constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /** Starts all threads. Throws the first error of a thread that cannot load the environments. */
  static async start(options: ThreadPoolOptions): Promise<ThreadPool> {
    const pool = new ThreadPool(options);
    const starts = await Promise.allSettled(
      Array.from({ length: options.threads }, () => pool.#addThread()),
    );
    const failure = starts.find(({ status }) => status === "rejected");
    if (failure === undefined) return pool;
    await pool[Symbol.asyncDispose]();
    throw (failure as PromiseRejectedResult).reason;
  }

  /** The thread with the fewest pending calls; among those, the one with the fewest episodes. */
  async leastBusy(): Promise<HostThread> {
    this.#refill();
    while (this.#ready.size === 0) {
      if (this.#isClosing) throw new ServeError("closed", "The server is closing.");
      await this.#starting;
      this.#refill();
    }
    return [...this.#ready].reduce((least, thread) =>
      thread.pendingCalls < least.pendingCalls ||
      (thread.pendingCalls === least.pendingCalls && thread.episodes < least.episodes)
        ? thread
        : least,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    await this.#starting?.catch(() => undefined);
    await Promise.all([...this.#ready].map((thread) => thread.terminate()));
  }

  /** Starts missing threads, one after the other. After a failed start, the next call of `leastBusy` retries. */
  #refill(): void {
    const { threads, onFailure } = this.#options;
    if (this.#isClosing || this.#starting !== undefined || this.#ready.size >= threads) return;
    this.#starting = this.#addThread().finally(() => (this.#starting = undefined));
    this.#starting.then(() => this.#refill(), onFailure);
  }

  async #addThread(): Promise<void> {
    const thread: HostThread = new HostThread(this.#options.setup, (cause) => {
      if (!this.#ready.delete(thread)) return;
      this.#options.onFailure(cause);
      this.#refill();
    });
    try {
      this.cards = await thread.cards();
    } catch (error) {
      await thread.terminate();
      if (!(error instanceof ServeError)) throw error;
      throw new Error(`A thread ended while it loaded environments: ${errorMessage(error.cause)}`, {
        cause: error,
      });
    }
    if (this.#isClosing) await thread.terminate();
    else this.#ready.add(thread);
  }
}
