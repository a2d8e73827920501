import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

import { milliseconds } from "../time/cpu-time.ts";
import { clockLimit, type TimeLimit } from "../time/run-time.ts";
import type { Request, Response } from "./thread.ts";

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
const entry = new URL(`./thread.${extension}`, import.meta.url);

/** The memory of JavaScript in a thread, more than the largest output takes. SQLite has its own. */
const resourceLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 16 };

/** The thread ended before it answered: it reached a limit of time, needed too much memory, or was closed. */
export class ThreadEnded extends Error {
  readonly reason: TimeLimit | "memory" | "closed";

  constructor(reason: ThreadEnded["reason"]) {
    super(`The thread of the database ended: ${reason}.`);
    this.reason = reason;
  }
}

interface Waiting {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: Error) => void;
}

/** Threads without a database, for the next ones: a start takes longer than most runs. */
const idle: { readonly thread: DatabaseThread; readonly timer: NodeJS.Timeout }[] = [];
const maxIdle = 4;
const idleMs = 10_000;

/** A thread with one database at a time. It answers one request at a time. */
export class DatabaseThread {
  readonly #worker: Worker;
  /** The CPU time of the thread when its run began, in milliseconds; `Infinity` before. */
  readonly #started = new Float64Array(new SharedArrayBuffer(8));
  #waiting: Waiting | undefined;
  #ended: Error | undefined;

  static take(): DatabaseThread {
    for (let next = idle.pop(); next !== undefined; next = idle.pop()) {
      clearTimeout(next.timer);
      if (!next.thread.isEnded) return next.thread;
    }
    return new DatabaseThread();
  }

  private constructor() {
    this.#worker = new Worker(entry, { resourceLimits, workerData: this.#started });
    this.#worker.on("message", (response: Response) => this.#waiting?.resolve(response));
    this.#worker.on("error", (error: NodeJS.ErrnoException) =>
      this.#fail(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? new ThreadEnded("memory") : error),
    );
    this.#worker.on("exit", () => this.#fail(new ThreadEnded("closed")));
  }

  get isEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Rejects with {@link ThreadEnded} if the thread ends first, which it does after `ms` of CPU time. */
  async request(
    request: Request,
    ms: number = Infinity,
  ): Promise<Response & { readonly error?: never }> {
    const { promise, resolve, reject } = Promise.withResolvers<Response>();
    if (this.#ended !== undefined) throw this.#ended;
    this.#waiting = { resolve, reject };
    // An idle database does not keep the process alive.
    this.#worker.ref();
    const answered = new AbortController();
    if (ms !== Infinity) void this.#endLate(ms, answered.signal);
    this.#started[0] = Infinity;
    try {
      this.#worker.postMessage(request);
      const response = await promise;
      if ("error" in response) throw new Error(response.error);
      return response;
    } finally {
      answered.abort();
      this.#worker.unref();
      this.#waiting = undefined;
    }
  }

  /** Closes the database. An idle thread waits some time for the next one. */
  async giveBack(): Promise<void> {
    if (this.isEnded) return;
    if (this.#waiting !== undefined || idle.length >= maxIdle) return await this.end("closed");
    try {
      await this.request({ kind: "close" });
    } catch {
      return await this.end("closed");
    }
    const timer = setTimeout(() => void this.end("closed"), idleMs).unref();
    idle.push({ thread: this, timer });
  }

  /** Ends the thread when it has used `ms` of CPU time. A process that is otherwise idle does not wait for this. */
  async #endLate(ms: number, answered: AbortSignal): Promise<void> {
    const end = performance.now() + clockLimit(ms);
    let left = ms;
    while (left > 0) {
      await sleep(left, undefined, { signal: answered }).catch(() => {});
      if (answered.aborted) return;
      const clock = end - performance.now();
      if (clock <= 0) return await this.end("clock");
      const used = (await this.#cpuTime(clock)) - this.#started[0]!;
      left = Math.min(ms - used, clock, ms);
    }
    if (!answered.aborted) await this.end("cpu");
  }

  /** The CPU time of the thread in milliseconds. `Infinity` if Node does not report it, as before Node 24.6, or not within `ms`. */
  async #cpuTime(ms: number): Promise<number> {
    const worker = this.#worker as Partial<Pick<Worker, "cpuUsage">>;
    if (worker.cpuUsage === undefined) return Infinity;
    const usage = worker.cpuUsage().then(milliseconds, () => Infinity);
    return await Promise.race([usage, sleep(ms, Infinity, { ref: false })]);
  }

  async end(reason: ThreadEnded["reason"]): Promise<void> {
    this.#fail(new ThreadEnded(reason));
    await this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#ended ??= error;
    this.#waiting?.reject(this.#ended);
  }
}
