import { onAbort } from "./abort.ts";
import { asRolloutError, RolloutError } from "./errors.ts";

export interface Limit {
  readonly over: AbortController;
  readonly signal: AbortSignal | undefined;
  readonly timeout: number | undefined;
  readonly what: string;
}

/**
 * Runs `work` until it ends, its time is up or the caller cancels; resolves to what went wrong. Work that ignores
 * its signal is left behind: it cannot hold up the run.
 */
export async function limited(
  { over, signal, timeout, what }: Limit,
  work: () => Promise<void>,
): Promise<RolloutError | undefined> {
  const timer = alarm(over, timeout, what);
  const unlink = onAbort(signal, () =>
    over.abort(new RolloutError("cancelled", "The run was cancelled.", { cause: signal?.reason })),
  );
  try {
    over.signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      over.signal.addEventListener("abort", () => reject(over.signal.reason as Error), {
        once: true,
      });
      work().then(resolve, reject);
    });
    return undefined;
  } catch (error) {
    // What a hook throws because it was told to stop is not what went wrong.
    return asRolloutError("environment", what, over.signal.aborted ? over.signal.reason : error);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

/** What a timer can count to, in milliseconds: 24 days. Anything longer, `Infinity` too, is no limit. */
const longest = 2 ** 31 - 1;

/** Aborts `over` when the time is up. */
export function alarm(
  over: AbortController,
  timeout: number | undefined,
  what: string,
): NodeJS.Timeout | undefined {
  if (timeout === undefined || timeout > longest) return undefined;
  return setTimeout(() => {
    over.abort(new RolloutError("timeout", `${what} took longer than ${timeout} ms.`));
  }, timeout);
}
