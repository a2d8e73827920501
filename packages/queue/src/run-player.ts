import type { Rollout } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { isReadable, parseRow, toRow } from "@envs/records";

import { failedRollout } from "./failed-rollout.ts";
import { LeaseStream } from "./lease-stream.ts";
import { persist, type PersistOptions } from "./persist.ts";
import { CrashError, type PlayAlone } from "./play-alone.ts";
import { playRun, type ReadyRun } from "./play-run.ts";
import type { Lease, PlayedRow, QueuedRun, WorkerQueue } from "./queue.ts";

export interface RunPlayerOptions extends PersistOptions {
  readonly queue: WorkerQueue;
  readonly queued: QueuedRun;
  readonly run: ReadyRun;
  /** Plays suspect groups. Default: they are played beside the others. */
  readonly playAlone?: PlayAlone | undefined;
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
    if (isPlaying) return;
    if (lease.isSuspect && this.#options.playAlone !== undefined)
      this.#settle(lease.id, this.#playSuspect(lease.id, this.#options.playAlone));
    else this.#stream.push(lease);
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
        onGroup: ({ id }, rows) => this.#settle(id, this.#complete(id, rows)),
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

  #settle(id: string, work: Promise<void>): void {
    const settling = work.finally(() => {
      this.held.delete(id);
      this.#settling.delete(settling);
      this.#options.onSettled();
    });
    this.#settling.add(settling);
  }

  async #playSuspect(id: string, playAlone: PlayAlone): Promise<void> {
    const { queue, queued, onRollout } = this.#options;
    const { signal } = this.#controller;
    try {
      const lease = this.held.get(id)!;
      const rows = await playAlone(queued, lease, signal).catch((error: unknown) =>
        this.#crashed(lease, error),
      );
      for (const { row } of rows) {
        const rollout = parseRow(row);
        if (isReadable(rollout)) onRollout(rollout);
      }
      await this.#complete(id, rows);
    } catch (error) {
      const lease = this.held.get(id)!;
      const settle = signal.aborted ? queue.release([lease]) : queue.fail(lease, messageOf(error));
      // If this fails, the lease is lost without heartbeats.
      await settle.catch(() => {});
    }
  }

  /** The rows of a group whose code ends every process that plays it: no worker can play it. */
  #crashed({ group: { example, rolloutIndices } }: Lease, error: unknown): readonly PlayedRow[] {
    if (!(error instanceof CrashError)) throw error;
    const message = `A worker was lost while it played this rollout, then a process that played nothing else: ${error.message}`;
    return rolloutIndices.map((rolloutIndex) => {
      const failure = { example, rolloutIndex, code: "crash", message } as const;
      const rollout = failedRollout(this.#options.run.environment, failure);
      return { rolloutIndex, row: JSON.stringify(toRow(rollout)) };
    });
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
