import { messageOf } from "@envs/core/engine";

import { persist, type PersistOptions } from "./persist.ts";
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
  /** Whether the machine has room for another group, such as memory. Default: always. */
  readonly hasRoom?: (() => boolean) | undefined;
  /** Takes no more leases, and returns when those that are held are settled. */
  readonly signal: AbortSignal;
  /** Stops playing, and gives the leases that are held back. Default: never. */
  readonly abort?: AbortSignal | undefined;
  readonly onEvent?: ((event: WorkerEvent) => void) | undefined;
}

/** What happens in a worker. */
export type WorkerEvent =
  | { readonly type: "ready" | "closed"; readonly runId: string }
  | { readonly type: "refused"; readonly runId: string; readonly reason: string }
  | { readonly type: "report"; readonly report: WorkerReport };

const heartbeatMs = 5000;
/** How long to wait if there is no room. */
const roomMs = 1000;

/** Plays groups of every open run that this machine can play, until the signal is aborted. */
export async function work(queue: WorkerQueue, options: WorkOptions): Promise<WorkerReport> {
  const { host, concurrency = 32, signal, onEvent, onUnavailable } = options;
  const id = crypto.randomUUID();
  const players = new Map<string, RunPlayer>();
  const refused = new Map<string, string>();
  let rollouts = 0;
  let failures = 0;
  let wake = (): void => {};
  const leased = (): number => sum([...players.values()].map((player) => player.rollouts));
  const report = (): WorkerReport => ({
    id,
    host,
    concurrency,
    running: Math.min(concurrency, leased()),
    rollouts,
    failures,
    ready: [...players.keys()],
    refused: [...refused].map(([runId, reason]) => ({ runId, reason })),
  });
  const refuse = (runId: string, reason: string): void => {
    refused.set(runId, reason);
    onEvent?.({ type: "refused", runId, reason });
  };

  const prepare = async (run: QueuedRun): Promise<void> => {
    try {
      const ready = await options.prepare(run);
      const player = new RunPlayer({
        queue,
        run: ready,
        concurrency,
        signal: options.abort,
        onUnavailable,
        onRollout({ status }) {
          rollouts += 1;
          if (status === "failed") failures += 1;
        },
        onSettled: () => wake(),
      });
      players.set(run.id, player);
      onEvent?.({ type: "ready", runId: run.id });
      void player.ended.then((reason) => {
        players.delete(run.id);
        if (reason !== undefined) refuse(run.id, reason);
        wake();
      });
    } catch (error) {
      refuse(run.id, messageOf(error));
    }
  };

  const beat = async (): Promise<void> => {
    const current = report();
    onEvent?.({ type: "report", report: current });
    const held = [...players.values()].flatMap((player) => player.held.values().toArray());
    const { closed } = await queue.heartbeat(current, held);
    for (const runId of closed) {
      players.get(runId)?.abort();
      onEvent?.({ type: "closed", runId });
    }
  };
  // A heartbeat that cannot be sent is followed by the next.
  const heartbeats = setInterval(() => void beat().catch(() => {}), heartbeatMs);
  const waitForRoom = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, roomMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const stop = (): void => wake();
  signal.addEventListener("abort", stop);
  const abort = (): void => {
    for (const player of players.values()) player.abort();
  };
  options.abort?.addEventListener("abort", abort);

  // A quarter more than can run, so that a finished group is followed by one that is here already.
  const capacity = concurrency + Math.ceil(concurrency / 4);
  let groupSize = 1;
  let turn = 0;
  try {
    await persist(beat, { signal, onUnavailable });
    while (!signal.aborted) {
      const room = capacity - leased();
      if (room <= 0 || (leased() > 0 && options.hasRoom?.() === false)) {
        await waitForRoom();
        continue;
      }
      // Each request prefers another run, so that a long one does not keep the others waiting.
      const ready = [...players.keys()];
      ready.push(...ready.splice(0, turn % Math.max(1, ready.length)));
      turn += 1;
      const request = { worker: id, ready, refused: [...refused.keys()], signal };
      const count = Math.max(1, Math.floor(room / groupSize));
      const response = await persist(() => queue.lease({ ...request, count }), {
        signal,
        onUnavailable,
      });
      for (const lease of response.leases) {
        groupSize = lease.group.rolloutIndices.length;
        const player = players.get(lease.runId);
        if (player === undefined) await queue.release([lease]);
        else player.push(lease);
      }
      for (const run of response.runs) await prepare(run);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener("abort", stop);
    for (const player of players.values()) player.close();
    await Promise.all([...players.values()].map(({ ended }) => ended));
    clearInterval(heartbeats);
    options.abort?.removeEventListener("abort", abort);
    await queue.leave(id).catch(() => {});
  }
  return report();
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
