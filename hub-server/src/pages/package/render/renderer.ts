import { extname } from "node:path";

import { LRUCache } from "lru-cache";
import pLimit from "p-limit";
import { Tinypool } from "tinypool";

import type { StoredRenderings } from "./stored-renderings.ts";
import type { RenderTasks } from "./worker.ts";

type TaskName = keyof RenderTasks;

/**
 * Renders untrusted files in another process, so that the registry stays free. A thread would not suffice: if it runs out of
 * memory, Node may abort the whole process.
 */
export interface Renderer {
  /** Stores the result under the key, which identifies the content. Resolves to undefined if rendering fails or takes too long. */
  render<Name extends TaskName>(
    name: Name,
    key: string,
    task: RenderTasks[Name]["task"],
  ): Promise<RenderTasks[Name]["result"] | undefined>;
  close(): Promise<void>;
}

/** The default time limit of a task, including the start of the process. */
const defaultTimeoutMs = 8000;
/** How long a failed task is not retried. */
const failureTtlMs = 60_000;
const maxQueue = 64;
const maxCacheBytes = 48 * 2 ** 20;
const maxHeapMegabytes = 256;

/** Starts the process at the first task whose result is not stored. */
export function makeRenderer(
  stored: StoredRenderings,
  onFailure: (error: unknown, key: string) => void,
  timeoutMs: number = defaultTimeoutMs,
): Renderer {
  const cache = new LRUCache<string, { readonly result: unknown }>({
    maxSize: maxCacheBytes,
    sizeCalculation: ({ result }) => (JSON.stringify(result) ?? "").length + 100,
  });
  const pending = new Map<string, Promise<unknown>>();
  const inTurn = pLimit(1);
  let pool: Tinypool | undefined;
  let isClosed = false;

  async function run(name: TaskName, key: string, task: unknown): Promise<unknown> {
    if (isClosed) return undefined;
    pool ??= makePool().on("error", (error) => onFailure(error, "idle"));
    try {
      const result: unknown = await pool.run(task, {
        name,
        signal: AbortSignal.timeout(timeoutMs),
      });
      cache.set(key, { result });
      await stored.write(key, result).catch((error: unknown) => onFailure(error, key));
      return result;
    } catch (error) {
      if (isClosed) return undefined;
      onFailure(error, key);
      cache.set(key, { result: undefined }, { ttl: failureTtlMs });
      return undefined;
    }
  }

  /** The stored result of a task, or that of a new run; undefined if too many tasks wait. */
  async function readOrRun(name: TaskName, key: string, task: unknown): Promise<unknown> {
    const known = await stored.read(key);
    if (known !== undefined) {
      cache.set(key, known);
      return known.result;
    }
    return inTurn.pendingCount < maxQueue ? await inTurn(run, name, key, task) : undefined;
  }

  return {
    async render(name, key, task) {
      const fullKey = `${name} ${key}`;
      const cached = cache.get(fullKey);
      if (cached !== undefined) return cached.result as never;
      let work = pending.get(fullKey);
      if (work === undefined) {
        work = readOrRun(name, fullKey, task).finally(() => pending.delete(fullKey));
        pending.set(fullKey, work);
      }
      return (await work) as never;
    },
    async close() {
      isClosed = true;
      await pool?.destroy();
    },
  };
}

function makePool(): Tinypool {
  return new Tinypool({
    runtime: "child_process",
    filename: new URL(`./worker${extname(import.meta.filename)}`, import.meta.url).href,
    minThreads: 0,
    maxThreads: 1,
    idleTimeout: 60_000,
    serialization: "advanced",
    // Passes neither flags nor environment variables, which may contain secrets, to code that reads untrusted files.
    execArgv: [`--max-old-space-size=${maxHeapMegabytes}`],
    env: {},
  });
}
