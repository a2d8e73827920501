import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { MessageChannel } from "node:worker_threads";

import { RolloutError } from "@envs/core";
import { Piscina } from "piscina";

import type { ThreadCall, ThreadOutcome } from "./thread-entry.ts";

export interface ThreadOptions {
  /** The time limit of a call in milliseconds, from its start in the thread. At the limit, the thread ends. Default 60,000. */
  readonly timeout?: number | undefined;
  /** The largest number of threads. They start on demand, and end when they are idle. Default: one fewer than cores. */
  readonly threads?: number | undefined;
  /** Ends a thread after it was idle for this many milliseconds. Default 10,000. */
  readonly idleTimeout?: number | undefined;
}

export interface ThreadCallOptions {
  /** Ends a waiting call, or the thread of a running one. */
  readonly signal?: AbortSignal | undefined;
  /** Replaces the limit of {@link ThreadOptions} for this call. */
  readonly timeout?: number | undefined;
}

/** A function whose calls run in threads. */
export type InThread<Work extends (input: never) => unknown> = (
  input: Parameters<Work>[0],
  options?: ThreadCallOptions,
) => Promise<Awaited<ReturnType<Work>>>;

/** The maximum number of waiting calls; more of them mean that the rollouts are not limited. */
const maxQueue = 10_000;

/**
 * Runs an exported function of a module in worker threads, so that a score which computes for seconds does not delay other
 * rollouts. Input and output are copied. An error of the function keeps its name, message and code. Idle threads do not keep
 * the process alive.
 *
 * `module` may name a TypeScript file: `new URL("./grade.ts", import.meta.url)` finds `grade.js` beside built code.
 */
export function inThread<Work extends (input: never) => unknown>(
  module: URL,
  name: string,
  options: ThreadOptions = {},
): InThread<Work> {
  let pool: Piscina<ThreadCall, ThreadOutcome> | undefined;
  return async (input, callOptions = {}): Promise<Awaited<ReturnType<Work>>> => {
    const { signal, timeout = options.timeout ?? 60_000 } = callOptions;
    signal?.throwIfAborted();
    pool ??= createPool(options);
    const controller = new AbortController();
    const abort = (): void => controller.abort();
    signal?.addEventListener("abort", abort, { once: true });
    const { port1, port2 } = new MessageChannel();
    let timer: NodeJS.Timeout | undefined;
    let isLate = false;
    port1.once("message", () => {
      if (timeout === Infinity) return;
      timer = setTimeout(() => {
        isLate = true;
        abort();
      }, timeout);
    });
    port1.unref();
    const call: ThreadCall = { module: existing(module), name, input, started: port2 };
    try {
      const outcome = await pool.run(call, { signal: controller.signal, transferList: [port2] });
      if ("error" in outcome) throw Object.assign(new Error(), outcome.error);
      return outcome.value as Awaited<ReturnType<Work>>;
    } catch (error) {
      signal?.throwIfAborted();
      if (isLate) throw lateError(name, timeout);
      throw error;
    } finally {
      clearTimeout(timer);
      port1.close();
      signal?.removeEventListener("abort", abort);
    }
  };
}

function createPool({ threads, idleTimeout = 10_000 }: ThreadOptions): Piscina {
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  return new Piscina({
    filename: new URL(`./thread-entry.${extension}`, import.meta.url).href,
    minThreads: 0,
    maxThreads: threads ?? Math.max(1, availableParallelism() - 1),
    idleTimeout,
    maxQueue,
    // Without this, an idle thread blocks, and its timers and sockets stop.
    atomics: "disabled",
  });
}

function existing(module: URL): string {
  const built = module.href.replace(/\.ts$/, ".js");
  return existsSync(fileURLToPath(module)) ? module.href : built;
}

function lateError(name: string, timeout: number): RolloutError {
  return new RolloutError(
    "timeout",
    `${name} ran longer than ${timeout} ms in its thread, which was ended. Make it faster, or raise the timeout of inThread().`,
  );
}
