import { parentPort, Worker } from "node:worker_threads";

import type { ParentThread, Thread } from "./thread.ts";

/** Runs a module on a new thread. */
export function startThread(url: URL): Thread {
  const worker = new Worker(url);
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => void worker.on("message", listener),
    onEnd: (listener) => {
      for (const event of ["error", "messageerror"]) worker.on(event, listener);
      worker.on("exit", (code) => listener(new Error(`it exited with code ${code}`)));
    },
    terminate: async () => void (await worker.terminate()),
    ref: () => worker.ref(),
    unref: () => worker.unref(),
  };
}

export const parentThread: ParentThread = {
  post: (message) => parentPort?.postMessage(message),
  onMessage: (listener) => void parentPort?.on("message", listener),
};
