import { Script } from "node:vm";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";

/** How long the main thread may take to exit after the second interrupt, in milliseconds. */
const exitTimeoutMs = 500;

interface ThreadData {
  /** The number of signals that the process has received. */
  readonly signalCount: Int32Array;
}

/**
 * Receives Ctrl-C in another thread, and calls `onInterrupt` when the main thread is free. If that thread runs a loop of an author,
 * its own handlers wait for the end of the loop. From the second signal on, this thread ends the process instead.
 */
export function watchInterrupts(signalCount: Int32Array, onInterrupt: () => void): Disposable {
  const data: ThreadData = { signalCount };
  const thread = new Worker(new URL(import.meta.url), { workerData: data });
  thread.unref();
  // Without the thread, the handlers of the main thread still receive each signal.
  thread.on("error", () => {}).on("message", onInterrupt);
  return { [Symbol.dispose]: () => void thread.terminate() };
}

function watch({ signalCount }: ThreadData): void {
  // The only way in which a thread other than the main one can receive SIGINT.
  const wait = new Script("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)");
  for (let count = 0; count < 2;) {
    try {
      wait.runInThisContext({ breakOnSigint: true });
    } catch {
      count = Atomics.add(signalCount, 0, 1) + 1;
      parentPort?.postMessage(count);
    }
  }
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, exitTimeoutMs);
  process.kill(process.pid, "SIGINT");
}

// Other programs import this module on their threads, too.
const data: unknown = workerData;
if (!isMainThread && typeof data === "object" && data !== null && "signalCount" in data)
  watch(data as ThreadData);
