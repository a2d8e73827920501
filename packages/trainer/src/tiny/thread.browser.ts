import type { Host, Thread } from "./thread.ts";

/** Starts a module on a thread of its own. */
export function startThread(url: URL): Thread {
  const worker = new Worker(url, { type: "module" });
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => worker.addEventListener("message", ({ data }) => listener(data)),
    onEnd: (listener) => {
      worker.addEventListener("error", ({ message }) => listener(new Error(message)));
      worker.addEventListener("messageerror", () => listener(new Error("its answer is broken")));
    },
    terminate: () => Promise.resolve(worker.terminate()),
    rest: () => {},
    wake: () => {},
  };
}

/** The starting side, as seen from the thread. */
export const host: Host = {
  post: (message) => globalThis.postMessage(message),
  onMessage: (listener) => globalThis.addEventListener("message", ({ data }) => listener(data)),
};
