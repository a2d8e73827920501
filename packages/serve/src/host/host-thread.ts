import { Worker } from "node:worker_threads";

import { ServeError } from "../failure.ts";
import { received } from "./border.ts";
import type { Answer, Call, ThreadPlan } from "./calls.ts";
import type { EnvironmentCard } from "./host.ts";
import { Outbox, unpacked } from "./outbox.ts";

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A thread that runs episodes, from the side that started it. */
export class HostThread {
  readonly #worker: Worker;
  readonly #outbox: Outbox;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  /** What is answered once the thread is no more. */
  #end: ServeError | undefined;
  /** How many episodes are played there. */
  episodes = 0;

  /** Starts a thread; `onEnd` hears of its end, unless it was terminated. */
  constructor(plan: ThreadPlan, onEnd: (cause: unknown) => void) {
    this.#worker = startWorker(plan);
    const end = (cause: unknown): void => {
      if (this.#end !== undefined) return;
      this.#settleAll(lost(cause));
      onEnd(cause);
    };
    this.#outbox = new Outbox(this.#worker);
    this.#worker.on("message", (text: string) => {
      for (const answer of unpacked(text)) this.#settle(answer as Answer);
    });
    this.#worker.on("error", end);
    this.#worker.on("exit", (code) => end(new Error(`It ended with code ${code}.`)));
  }

  /** How many calls wait for an answer. */
  get calls(): number {
    return this.#waiting.size;
  }

  /** What the thread has loaded. */
  cards(): Promise<readonly EnvironmentCard[]> {
    return this.call({ method: "cards" });
  }

  call<Result>(call: Call): Promise<Result> {
    if (this.#end !== undefined) return Promise.reject(this.#end);
    this.#calls += 1;
    const request = this.#calls;
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.set(request, { resolve: resolve as (result: unknown) => void, reject });
      this.#outbox.send({ request, call });
    });
  }

  async terminate(): Promise<void> {
    this.#settleAll(new ServeError("closed", "The server is closing."));
    await this.#worker.terminate();
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.request);
    this.#waiting.delete(answer.request);
    if ("error" in answer) waiting?.reject(received(answer.error));
    else waiting?.resolve(answer.result);
  }

  #settleAll(end: ServeError): void {
    this.#end ??= end;
    for (const { reject } of this.#waiting.values()) reject(this.#end);
    this.#waiting.clear();
  }
}

function lost(cause: unknown): ServeError {
  return new ServeError(
    "lost",
    "The thread that played this episode ended, and the episode with it. Reset to start another.",
    { cause },
  );
}

function startWorker(workerData: ThreadPlan): Worker {
  // Compiled code lies beside compiled code. From source, environments are loaded from source, too.
  if (!import.meta.url.endsWith(".ts"))
    return new Worker(new URL("thread.js", import.meta.url), { workerData });
  // What this process was started with may be nothing that a thread takes.
  const execArgv = ["--conditions=@envs/source"];
  return new Worker(new URL("thread.ts", import.meta.url), { workerData, execArgv });
}
