import { writeSync } from "node:fs";
import { isMainThread, Worker, workerData } from "node:worker_threads";

/** How often the main thread shows that it runs, and how often that is checked. */
const tickMs = 500;

interface Watch {
  /** The number of ticks of the main thread. */
  readonly ticks: Int32Array;
  readonly stuckMs: number;
  /** The process that must live, or this one ends. */
  readonly parent: number | undefined;
}

export interface WatchOptions {
  /** How long code may keep the main thread, in milliseconds of CPU time. Code that waits without CPU time has four times as long. */
  readonly stuckMs: number;
  /** Whether this process ends with the one that started it. Default false. */
  readonly endsWithParent?: boolean | undefined;
}

/**
 * Kills this process from another thread when code has kept its main thread for too long, such as an endless loop: no timer of the
 * main thread could. Writes the reason to standard error. Disposing ends the watch.
 */
export function watchThread({ stuckMs, endsWithParent = false }: WatchOptions): AsyncDisposable {
  const ticks = new Int32Array(new SharedArrayBuffer(4));
  const parent = endsWithParent ? process.ppid : undefined;
  const watch: Watch = { ticks, stuckMs, parent };
  const thread = new Worker(new URL(import.meta.url), { workerData: watch });
  thread.unref();
  const timer = setInterval(() => Atomics.add(ticks, 0, 1), tickMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await thread.terminate();
    },
  };
}

function observe({ ticks, stuckMs, parent }: Watch): void {
  let [last, still, busyBefore] = [-1, 0, 0];
  setInterval(() => {
    if (parent !== undefined && process.ppid !== parent) process.kill(process.pid, "SIGKILL");
    const now = Atomics.load(ticks, 0);
    // Not by the clock: on a machine with too much work, code that is not stuck takes long, too.
    const { user, system } = process.cpuUsage();
    const busy = (user + system) / 1000;
    if (now !== last) [last, still, busyBefore] = [now, 0, busy];
    else still += tickMs;
    if (busy - busyBefore < stuckMs && still < 4 * stuckMs) return;
    // `process.stderr` of a thread writes by the main one.
    writeSync(
      2,
      `Code has kept the thread for ${Math.round(still / 1000)} seconds without a pause, such as an endless loop. The process ends.\n`,
    );
    process.kill(process.pid, "SIGKILL");
  }, tickMs);
}

// Other programs import this module on their threads, too.
const data: unknown = workerData;
if (!isMainThread && typeof data === "object" && data !== null && "stuckMs" in data)
  observe(data as Watch);
