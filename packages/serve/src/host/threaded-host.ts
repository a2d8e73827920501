import { setTimeout as sleep } from "node:timers/promises";

import type { AssistantMessage, Seed } from "@envs/core";

import { ServeError } from "../errors.ts";
import {
  type EnvironmentCard,
  type EpisodeHost,
  type EpisodeObservation,
  groupScoresOf,
  type ScoredOutcome,
  type StepOptions,
} from "./episode-host.ts";
import type { HostThread } from "./host-thread.ts";
import { assumedSplitSize, findSplit, localCounter, type Task, type TaskQuery } from "./tasks.ts";
import type { ThreadPool } from "./thread-pool.ts";

/** How long closing an episode waits for a busy thread. */
const closeTimeoutMs = 5000;

/** Runs the episodes of one environment in a pool of threads. An episode stays in the thread that opened it. */
export class ThreadedHost implements EpisodeHost {
  readonly card: EnvironmentCard;
  readonly #pool: ThreadPool;
  readonly #environment: number;
  readonly #counter = localCounter();
  readonly #threads = new Map<string, HostThread>();
  readonly #comparesRollouts: boolean;
  /** The group of each open episode, if the rubric compares rollouts. */
  readonly #groups = new Map<string, string>();

  /** `environment` is an index into the references of the pool's setup. */
  constructor(pool: ThreadPool, environment: number) {
    this.card = pool.cards[environment]!;
    this.#pool = pool;
    this.#environment = environment;
    this.#comparesRollouts = groupScoresOf(this.card).length > 0;
  }

  async task(query: TaskQuery): Promise<Task> {
    const { name, size } = findSplit(this.card, query.split);
    const index = query.index ?? (await this.#counter(this.card.name)) % (size ?? assumedSplitSize);
    const position = { split: name, index };
    const thread = await this.#pool.leastBusy();
    return thread.call({ method: "task", environment: this.#environment, position });
  }

  async open(id: string, task: Task, seed: Seed): Promise<EpisodeObservation> {
    const leastBusy = await this.#pool.leastBusy();
    const thread = this.#groupThread(task) ?? leastBusy;
    this.#threads.set(id, thread);
    if (this.#comparesRollouts) this.#groups.set(id, groupOf(task));
    thread.episodes += 1;
    const environment = this.#environment;
    try {
      return await thread.call({ method: "open", environment, id, task, seed });
    } finally {
      // The episode was closed while it opened, perhaps before the thread knew its id.
      if (this.#threads.get(id) !== thread)
        void thread.call({ method: "close", environment, id }).catch(() => undefined);
    }
  }

  async step(
    id: string,
    message: AssistantMessage,
    options?: StepOptions,
  ): Promise<EpisodeObservation> {
    const environment = this.#environment;
    return this.#thread(id).call({ method: "step", environment, id, message, options });
  }

  async finish(id: string): Promise<EpisodeObservation> {
    return this.#thread(id).call({ method: "finish", environment: this.#environment, id });
  }

  async scoreGroup(ids: readonly string[]): Promise<readonly ScoredOutcome[]> {
    const [thread, ...others] = new Set(ids.map((id) => this.#thread(id)));
    if (thread === undefined) return [];
    if (others.length > 0)
      throw new ServeError(
        "lost",
        "The thread of some episodes of this group ended while they ran. Play the group again.",
      );
    return thread.call({ method: "scoreGroup", environment: this.#environment, ids });
  }

  async close(id: string): Promise<void> {
    const thread = this.#threads.get(id);
    if (thread === undefined) return;
    this.#threads.delete(id);
    this.#groups.delete(id);
    thread.episodes -= 1;
    const controller = new AbortController();
    const timeout = sleep(closeTimeoutMs, undefined, { signal: controller.signal });
    try {
      await Promise.race([
        thread.call({ method: "close", environment: this.#environment, id }),
        timeout.catch(() => undefined),
      ]);
    } catch (error) {
      // The thread has ended, and the episode with it.
      if (!(error instanceof ServeError)) throw error;
    } finally {
      controller.abort();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([...this.#threads.keys()].map((id) => this.close(id)));
  }

  /** Episodes that are compared run in the same thread. */
  #groupThread(task: Task): HostThread | undefined {
    if (!this.#comparesRollouts) return undefined;
    const group = groupOf(task);
    const [member] = [...this.#groups].find(([, other]) => other === group) ?? [];
    return member === undefined ? undefined : this.#threads.get(member);
  }

  #thread(id: string): HostThread {
    const thread = this.#threads.get(id);
    if (thread !== undefined) return thread;
    throw new ServeError("no-episode", "No episode is running. Reset first.");
  }
}

/** Names the example whose rollouts form a group. */
function groupOf({ split, index }: Task): string {
  return `${split}/${index}`;
}
