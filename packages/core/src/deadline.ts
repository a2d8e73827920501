import { onAbort } from "./abort.ts";
import { asRolloutError, RolloutError } from "./errors.ts";

export interface LimitedWork {
  /** Aborted when the work exceeds its timeout or the caller cancels. */
  readonly controller: AbortController;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
  /** In milliseconds. */
  readonly timeout: number | undefined;
  /** The subject of error messages, such as `Scoring`. */
  readonly operation: string;
}

/**
 * Waits until `work` ends, its timeout passes or the caller cancels. Resolves to the error, if there is one. Work that
 * ignores its signal continues in the background and does not delay the run.
 */
export async function runWithLimit(
  { controller, signal, timeout, operation }: LimitedWork,
  work: () => Promise<void>,
): Promise<RolloutError | undefined> {
  const timer = abortAfter(controller, timeout, operation);
  const unsubscribe = onAbort(signal, () =>
    controller.abort(
      new RolloutError("cancelled", "The run was cancelled.", { cause: signal?.reason }),
    ),
  );
  try {
    controller.signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      controller.signal.addEventListener("abort", () => reject(controller.signal.reason as Error), {
        once: true,
      });
      work().then(resolve, reject);
    });
    return undefined;
  } catch (error) {
    // An aborted hook may throw any error: the reason for the abort is the cause of the failure.
    const cause: unknown = controller.signal.aborted ? controller.signal.reason : error;
    return asRolloutError("environment", operation, cause);
  } finally {
    clearTimeout(timer);
    unsubscribe();
  }
}

/** The longest delay of a timer in milliseconds, 24 days. A longer timeout, also `Infinity`, sets no timer. */
const maxDelay = 2 ** 31 - 1;

/** Aborts `controller` with a `RolloutError` after `timeout` milliseconds. */
export function abortAfter(
  controller: AbortController,
  timeout: number | undefined,
  operation: string,
): NodeJS.Timeout | undefined {
  if (timeout === undefined || timeout > maxDelay) return undefined;
  return setTimeout(() => {
    controller.abort(new RolloutError("timeout", `${operation} took longer than ${timeout} ms.`));
  }, timeout);
}
