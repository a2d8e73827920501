import { parentPort, Worker } from "node:worker_threads";

import type { Host, Thread } from "./thread.ts";

/** Starts a module on a thread of its own. */
export function startThread(url: URL): Thread {
  const worker = new Worker(url);
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => void worker.on("message", listener),
    onEnd: (listener) => {
      for (const event of ["error", "messageerror"]) worker.on(event, listener);
      worker.on("exit", (code) => listener(new Error(`it ended with code ${code}`)));
    },
    terminate: async () => void (await worker.terminate()),
    // A model that nobody uses must not keep the process alive.
    rest: () => worker.unref(),
    wake: () => worker.ref(),
  };
}

/** The starting side, as seen from the thread. */
export const host: Host = {
  post: (message) => parentPort?.postMessage(message),
  onMessage: (listener) => void parentPort?.on("message", listener),
};
