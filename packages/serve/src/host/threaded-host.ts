import type { AssistantMessage, Seed } from "@envs/core";

import { ServeError } from "../failure.ts";
import type { HostThread } from "./host-thread.ts";
import type { EnvironmentCard, EpisodeHost, Report, StepOptions } from "./host.ts";
import { type Task, TaskOrder, type TaskQuery } from "./task.ts";
import type { ThreadPool } from "./thread-pool.ts";

/** How long whoever closes an episode waits for a thread that is at work, in milliseconds. */
const patience = 5000;

/** Runs the episodes of one environment in the threads of a pool: each stays in the thread that it was opened in. */
export class ThreadedHost implements EpisodeHost {
  readonly card: EnvironmentCard;
  readonly #pool: ThreadPool;
  readonly #environment: number;
  readonly #order: TaskOrder;
  readonly #threads = new Map<string, HostThread>();

  /** Of the environment at this place in the pool's plan. */
  constructor(pool: ThreadPool, environment: number) {
    this.card = pool.cards[environment]!;
    this.#pool = pool;
    this.#environment = environment;
    this.#order = new TaskOrder(this.card);
  }

  async task(query: TaskQuery): Promise<Task> {
    const place = this.#order.place(query);
    const thread = await this.#pool.leastBusy();
    return thread.call({ method: "task", environment: this.#environment, place });
  }

  async open(id: string, task: Task, seed: Seed): Promise<Report> {
    const thread = await this.#pool.leastBusy();
    this.#threads.set(id, thread);
    thread.episodes += 1;
    const environment = this.#environment;
    try {
      return await thread.call({ method: "open", environment, id, task, seed });
    } finally {
      // Closed before it was open: the thread may not have known it then.
      if (this.#threads.get(id) !== thread)
        void thread.call({ method: "close", environment, id }).catch(() => undefined);
    }
  }

  async step(id: string, message: AssistantMessage, options?: StepOptions): Promise<Report> {
    const environment = this.#environment;
    return this.#thread(id).call({ method: "step", environment, id, message, options });
  }

  async finish(id: string): Promise<Report> {
    return this.#thread(id).call({ method: "finish", environment: this.#environment, id });
  }

  async close(id: string): Promise<void> {
    const thread = this.#threads.get(id);
    if (thread === undefined) return;
    this.#threads.delete(id);
    thread.episodes -= 1;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, patience);
    try {
      await Promise.race([
        thread.call({ method: "close", environment: this.#environment, id }),
        late,
      ]);
    } catch (error) {
      // What is gone is closed.
      if (!(error instanceof ServeError)) throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([...this.#threads.keys()].map((id) => this.close(id)));
  }

  #thread(id: string): HostThread {
    const thread = this.#threads.get(id);
    if (thread !== undefined) return thread;
    throw new ServeError("no-episode", "No episode is running: reset first.");
  }
}
