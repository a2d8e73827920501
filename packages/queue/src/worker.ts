import { messageOf } from "@envs/core/engine";

import { persist, type PersistOptions } from "./persist.ts";
import type { PlayAlone } from "./play-alone.ts";
import type { ReadyRun } from "./play-run.ts";
import type { QueuedRun, WorkerQueue, WorkerReport } from "./queue.ts";
import { RunPlayer } from "./run-player.ts";

export interface WorkOptions extends Pick<PersistOptions, "onUnavailable"> {
  /** The name of the machine. */
  readonly host: string;
  /** The maximum number of rollouts that run at once. Default 32. */
  readonly concurrency?: number | undefined;
  /** Makes a run ready to be played here: loads its environment and model. If it rejects, this worker leaves the run to others. */
  readonly prepare: (run: QueuedRun) => Promise<ReadyRun>;
  /** Plays a group whose worker was lost, in its own process. Default: such groups are played beside the others. */
  readonly playAlone?: PlayAlone | undefined;
  /** Whether the machine has room for another group, such as memory. Default: always. */
  readonly hasRoom?: (() => boolean) | undefined;
  /** When aborted, the worker takes no more leases, and returns after its present leases are settled. */
  readonly signal: AbortSignal;
  /** Stops playing, and gives the leases that are held back. Default: never. */
  readonly abort?: AbortSignal | undefined;
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
}

/** The events of a worker. */
export type WorkerEvent =
  | { readonly type: "ready" | "closed"; readonly runId: string }
  | { readonly type: "refused"; readonly runId: string; readonly reason: string }
  | { readonly type: "report"; readonly report: WorkerReport };

const heartbeatMs = 5000;
/** The milliseconds to wait if the worker has no room. */
const roomMs = 1000;

/** Plays groups of every open run that this machine can play, until the signal is aborted. */
export async function work(queue: WorkerQueue, options: WorkOptions): Promise<WorkerReport> {
  return await new Worker(queue, options).work();
}

class Worker {
  readonly #queue: WorkerQueue;
  readonly #options: WorkOptions;
  readonly #id = crypto.randomUUID();
  readonly #concurrency: number;
  /** The runs that it plays, by id. */
  readonly #players = new Map<string, RunPlayer>();
  /** Why it cannot play others. */
  readonly #refused = new Map<string, string>();
  #rollouts = 0;
  #failures = 0;
  #requests = 0;
  #endWait = (): void => {};

  constructor(queue: WorkerQueue, options: WorkOptions) {
    this.#queue = queue;
    this.#options = options;
    this.#concurrency = options.concurrency ?? 32;
  }

  async work(): Promise<WorkerReport> {
    const { signal, abort, onUnavailable } = this.#options;
    const stop = (): void => this.#endWait();
    const giveBack = (): void => this.#players.forEach((player) => player.abort());
    signal.addEventListener("abort", stop);
    abort?.addEventListener("abort", giveBack);
    // Ignores a failed heartbeat, because the next one follows.
    const heartbeats = setInterval(() => void this.#beat().catch(() => {}), heartbeatMs);
    try {
      await persist(() => this.#beat(), { signal, onUnavailable });
      while (!signal.aborted) {
        const room = this.#room();
        if (room > 0) await this.#lease(room);
        else await this.#waitForRoom();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener("abort", stop);
      for (const player of this.#players.values()) player.close();
      await Promise.all([...this.#players.values()].map(({ ended }) => ended));
      clearInterval(heartbeats);
      abort?.removeEventListener("abort", giveBack);
      await this.#queue.leave(this.#id).catch(() => {});
    }
    return this.#report();
  }

  /** The number of rollouts that it holds. */
  get #leased(): number {
    return [...this.#players.values()].reduce((total, { rollouts }) => total + rollouts, 0);
  }

  /** The number of further rollouts to lease: a quarter more than can run, so that the next group is ready when one finishes. */
  #room(): number {
    const leased = this.#leased;
    if (leased > 0 && this.#options.hasRoom?.() === false) return 0;
    return this.#concurrency + Math.ceil(this.#concurrency / 4) - leased;
  }

  async #waitForRoom(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, roomMs);
      this.#endWait = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #lease(rollouts: number): Promise<void> {
    const { signal, onUnavailable } = this.#options;
    // Each request prefers another run, so that a long one does not keep the others waiting.
    const ready = [...this.#players.keys()];
    ready.push(...ready.splice(0, this.#requests % Math.max(1, ready.length)));
    this.#requests += 1;
    const refused = [...this.#refused.keys()];
    const request = { worker: this.#id, ready, refused, rollouts, signal };
    const { leases, runs } = await persist(() => this.#queue.lease(request), {
      signal,
      onUnavailable,
    });
    for (const lease of leases) {
      const player = this.#players.get(lease.runId);
      if (player !== undefined) player.push(lease);
      // Ignores a failure, after which the lease expires without heartbeats.
      else await this.#queue.release([lease]).catch(() => {});
    }
    for (const run of runs) await this.#prepare(run);
  }

  async #prepare(run: QueuedRun): Promise<void> {
    const { prepare, playAlone, abort, onUnavailable, onEvent } = this.#options;
    try {
      const player = new RunPlayer({
        queue: this.#queue,
        queued: run,
        run: await prepare(run),
        playAlone,
        concurrency: this.#concurrency,
        signal: abort,
        onUnavailable,
        onRollout: ({ status }) => {
          this.#rollouts += 1;
          if (status === "failed") this.#failures += 1;
        },
        onSettled: () => this.#endWait(),
      });
      this.#players.set(run.id, player);
      onEvent?.({ type: "ready", runId: run.id });
      void player.ended.then((reason) => {
        this.#players.delete(run.id);
        if (reason !== undefined) this.#refuse(run.id, reason);
        this.#endWait();
      });
    } catch (error) {
      this.#refuse(run.id, messageOf(error));
    }
  }

  #refuse(runId: string, reason: string): void {
    this.#refused.set(runId, reason);
    this.#options.onEvent?.({ type: "refused", runId, reason });
  }

  async #beat(): Promise<void> {
    const { onEvent } = this.#options;
    const report = this.#report();
    onEvent?.({ type: "report", report });
    const held = [...this.#players.values()].flatMap((player) => player.held.values().toArray());
    const { closed } = await this.#queue.heartbeat(report, held);
    for (const runId of closed) {
      this.#players.get(runId)?.abort();
      onEvent?.({ type: "closed", runId });
    }
  }

  #report(): WorkerReport {
    return {
      id: this.#id,
      host: this.#options.host,
      concurrency: this.#concurrency,
      running: Math.min(this.#concurrency, this.#leased),
      rollouts: this.#rollouts,
      failures: this.#failures,
      ready: [...this.#players.keys()],
      refused: [...this.#refused].map(([runId, reason]) => ({ runId, reason })),
    };
  }
}
