import { ServeError } from "../failure.ts";
import { messageOf } from "./border.ts";
import type { ThreadPlan } from "./calls.ts";
import { HostThread } from "./host-thread.ts";
import type { EnvironmentCard } from "./host.ts";

/** How many threads, for what, and who hears of those that end or do not start. */
export interface ThreadPoolOptions {
  readonly plan: ThreadPlan;
  readonly count: number;
  readonly onFailure: (cause: unknown) => void;
}

/** Threads that run episodes of the same environments. One that ends is replaced. */
export class ThreadPool {
  readonly #options: ThreadPoolOptions;
  /** Those that have loaded everything. */
  readonly #threads = new Set<HostThread>();
  #starting: Promise<void> | undefined;
  #isClosing = false;
  cards: readonly EnvironmentCard[] = [];

  private constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /** Starts all threads. Throws what they say if they cannot load an environment. */
  static async start(options: ThreadPoolOptions): Promise<ThreadPool> {
    const pool = new ThreadPool(options);
    const started = await Promise.allSettled(
      Array.from({ length: options.count }, () => pool.#add()),
    );
    const failed = started.find((each) => each.status === "rejected");
    if (failed === undefined) return pool;
    await pool[Symbol.asyncDispose]();
    throw failed.reason;
  }

  /** The thread that has the least to do. */
  async leastBusy(): Promise<HostThread> {
    this.#refill();
    while (this.#threads.size === 0) {
      if (this.#isClosing) throw new ServeError("closed", "The server is closing.");
      await this.#starting;
      this.#refill();
    }
    return [...this.#threads].reduce((least, each) =>
      each.calls < least.calls || (each.calls === least.calls && each.episodes < least.episodes)
        ? each
        : least,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    await this.#starting?.catch(() => undefined);
    await Promise.all([...this.#threads].map((each) => each.terminate()));
  }

  /** Starts a thread where one is missing, one after the other. One that cannot start is tried again when next asked. */
  #refill(): void {
    const { count, onFailure } = this.#options;
    if (this.#isClosing || this.#starting !== undefined || this.#threads.size >= count) return;
    this.#starting = this.#add().finally(() => (this.#starting = undefined));
    this.#starting.then(() => this.#refill(), onFailure);
  }

  async #add(): Promise<void> {
    const thread: HostThread = new HostThread(this.#options.plan, (cause) => {
      if (!this.#threads.delete(thread)) return;
      this.#options.onFailure(cause);
      this.#refill();
    });
    try {
      this.cards = await thread.cards();
    } catch (error) {
      await thread.terminate();
      if (!(error instanceof ServeError)) throw error;
      const said = messageOf(error.cause);
      throw new Error(`A thread ended while it loaded environments: ${said}`, { cause: error });
    }
    if (this.#isClosing) await thread.terminate();
    else this.#threads.add(thread);
  }
}
