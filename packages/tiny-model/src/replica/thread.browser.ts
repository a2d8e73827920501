import type { ParentThread, Thread } from "./thread.ts";

/** Runs a module on a new thread. */
export function startThread(url: URL): Thread {
  const worker = new Worker(url, { type: "module" });
  return {
    post: (message) => worker.postMessage(message),
    onMessage: (listener) => worker.addEventListener("message", ({ data }) => listener(data)),
    onEnd: (listener) => {
      worker.addEventListener("error", ({ message }) => listener(new Error(message)));
      worker.addEventListener("messageerror", () =>
        listener(new Error("its message could not be deserialized")),
      );
    },
    terminate: () => Promise.resolve(worker.terminate()),
    // Does nothing, because a page does not wait for its workers.
    ref: () => {},
    unref: () => {},
  };
}

export const parentThread: ParentThread = {
  post: (message) => globalThis.postMessage(message),
  onMessage: (listener) => globalThis.addEventListener("message", ({ data }) => listener(data)),
};
