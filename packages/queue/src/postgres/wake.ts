import type { Database } from "./database.ts";

/** The maximum milliseconds to wait for a notification, which may be lost or delayed. */
const pollMs = 1000;

/** Waits for notifications of a channel, which it listens to from the first wait on. */
export interface Wake extends AsyncDisposable {
  /** The number of notifications so far. Read it before the query whose result a notification would change. */
  readonly version: () => Promise<number>;
  /** Waits for a notification after `version`, at most a second. */
  readonly after: (version: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Creates a {@link Wake}. If the database cannot listen, it polls. */
export function wakeOn(database: Database, channel: string): Wake {
  let version = 0;
  let listening: Promise<(() => Promise<void>) | undefined> | undefined;
  const waiting = new Set<() => void>();
  const onNotify = (): void => {
    version += 1;
    for (const end of waiting) end();
  };
  return {
    async version() {
      await (listening ??= database.listen(channel, onNotify).catch(() => (listening = undefined)));
      return version;
    },
    async after(seen, signal) {
      if (version !== seen || signal?.aborted === true) return;
      await new Promise<void>((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", end);
          waiting.delete(end);
          resolve();
        };
        const timer = setTimeout(end, pollMs);
        signal?.addEventListener("abort", end);
        waiting.add(end);
      });
    },
    async [Symbol.asyncDispose]() {
      await (
        await listening
      )?.();
    },
  };
}
