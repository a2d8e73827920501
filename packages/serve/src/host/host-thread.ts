import { Worker } from "node:worker_threads";

import { ServeError } from "../errors.ts";
import type { EnvironmentCard } from "./episode-host.ts";
import { deserializeError } from "./thread-errors.ts";
import {
  type HostCall,
  MessageBatcher,
  parseBatch,
  type ThreadResponse,
  type ThreadSetup,
} from "./thread-messages.ts";

interface PendingCall {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The main thread's handle of a thread that runs episodes. */
export class HostThread {
  readonly #worker: Worker;
  readonly #batcher: MessageBatcher;
  readonly #pendingCalls = new Map<number, PendingCall>();
  #lastRequestId = 0;
  /** Rejects all calls after the thread has ended. */
  #endError: ServeError | undefined;
  /** The number of episodes that run in the thread. */
  episodes = 0;

  /** Starts a thread. `onEnd` is called when the thread ends without {@link terminate}. */
  constructor(setup: ThreadSetup, onEnd: (cause: unknown) => void) {
    this.#worker = startWorker(setup);
    this.#batcher = new MessageBatcher(this.#worker);
    const handleEnd = (cause: unknown): void => {
      if (this.#endError !== undefined) return;
      this.#rejectAll(lostError(cause));
      onEnd(cause);
    };
    this.#worker.on("message", (text: string) => {
      for (const response of parseBatch(text)) this.#settle(response as ThreadResponse);
    });
    this.#worker.on("error", handleEnd);
    this.#worker.on("exit", (code) => handleEnd(new Error(`The thread exited with code ${code}.`)));
  }

  get pendingCalls(): number {
    return this.#pendingCalls.size;
  }

  /** The cards of the environments that the thread has loaded. */
  cards(): Promise<readonly EnvironmentCard[]> {
    return this.call({ method: "cards" });
  }

  call<Result>(call: HostCall): Promise<Result> {
    if (this.#endError !== undefined) return Promise.reject(this.#endError);
    this.#lastRequestId += 1;
    const requestId = this.#lastRequestId;
    return new Promise<Result>((resolve, reject) => {
      this.#pendingCalls.set(requestId, {
        resolve: resolve as (result: unknown) => void,
        reject,
      });
      this.#batcher.send({ requestId, call });
    });
  }

  async terminate(): Promise<void> {
    this.#rejectAll(new ServeError("closed", "The server is closing."));
    await this.#worker.terminate();
  }

  #settle(response: ThreadResponse): void {
    const pendingCall = this.#pendingCalls.get(response.requestId);
    this.#pendingCalls.delete(response.requestId);
    if ("error" in response) pendingCall?.reject(deserializeError(response.error));
    else pendingCall?.resolve(response.result);
  }

  #rejectAll(error: ServeError): void {
    this.#endError ??= error;
    for (const { reject } of this.#pendingCalls.values()) reject(this.#endError);
    this.#pendingCalls.clear();
  }
}

function lostError(cause: unknown): ServeError {
  return new ServeError(
    "lost",
    "The thread of this episode ended, and the episode with it. Reset to start another.",
    { cause },
  );
}

function startWorker(workerData: ThreadSetup): Worker {
  if (!import.meta.url.endsWith(".ts"))
    return new Worker(new URL("worker.js", import.meta.url), { workerData });
  // From source, environments are loaded from source too. Threads do not accept all options of this process.
  const execArgv = ["--conditions=@envs/source"];
  return new Worker(new URL("worker.ts", import.meta.url), { workerData, execArgv });
}
