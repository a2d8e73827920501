import type { Rollout } from "@envs/core";
import { messageOf } from "@envs/core/engine";

import { LeaseStream } from "./lease-stream.ts";
import { persist, type PersistOptions } from "./persist.ts";
import { playRun, type ReadyRun } from "./play-run.ts";
import type { Lease, PlayedRow, WorkerQueue } from "./queue.ts";

export interface RunPlayerOptions extends PersistOptions {
  readonly queue: WorkerQueue;
  readonly run: ReadyRun;
  readonly concurrency: number;
  readonly onRollout: (rollout: Rollout) => void;
  /** Called when a group has left the worker. */
  readonly onSettled: () => void;
}

/** Plays the leases of one run, and returns each to the queue: completed, failed or unplayed. */
export class RunPlayer {
  /** The leases that this worker holds, by id. */
  readonly held: Map<string, Lease> = new Map();
  /** Why the run cannot be played; resolves with `undefined` when all leases are settled after {@link close}. */
  readonly ended: Promise<string | undefined>;
  readonly #stream = new LeaseStream();
  readonly #controller = new AbortController();
  readonly #settling = new Set<Promise<void>>();
  readonly #options: RunPlayerOptions;

  constructor(options: RunPlayerOptions) {
    this.#options = options;
    this.ended = this.#play();
  }

  /** The number of rollouts that are leased. */
  get rollouts(): number {
    let count = 0;
    for (const { group } of this.held.values()) count += group.rolloutIndices.length;
    return count;
  }

  push(lease: Lease): void {
    // Ignores a lease that was lost while this process was suspended and leased again: its group is still playing.
    const isPlaying = this.held.has(lease.id);
    this.held.set(lease.id, lease);
    if (!isPlaying) this.#stream.push(lease);
  }

  /** Takes no more leases. */
  close(): void {
    this.#stream.close();
  }

  /** Stops playing. The leases that are held are given back. */
  abort(): void {
    this.close();
    this.#controller.abort(new Error("The worker stops playing this run."));
  }

  async #play(): Promise<string | undefined> {
    const { queue, run, concurrency, onRollout } = this.#options;
    let reason: string | undefined;
    try {
      await playRun(run, this.#stream, {
        concurrency,
        signal: this.#controller.signal,
        onRollout,
        onGroup: (lease, rows) => this.#settle(lease, rows),
      });
    } catch (error) {
      // Drops the run's state, because a stopped run may be opened again.
      if (!this.#controller.signal.aborted) reason = messageOf(error);
    }
    await Promise.all(this.#settling);
    const rest = [...this.held.values()];
    this.held.clear();
    // Ignores a failure, after which the leases expire without heartbeats.
    await queue.release(rest).catch(() => {});
    await run[Symbol.asyncDispose]();
    return reason;
  }

  #settle({ id }: Lease, rows: readonly PlayedRow[]): void {
    const settling = this.#complete(id, rows).finally(() => {
      this.held.delete(id);
      this.#settling.delete(settling);
      this.#options.onSettled();
    });
    this.#settling.add(settling);
  }

  async #complete(id: string, rows: readonly PlayedRow[]): Promise<void> {
    const { queue, signal, onUnavailable } = this.#options;
    const lease = this.held.get(id)!;
    try {
      await persist(() => queue.complete(lease, rows), { signal, onUnavailable });
    } catch (error) {
      // Another worker plays the group again.
      await queue.fail(lease, messageOf(error)).catch(() => {});
    }
  }
}
