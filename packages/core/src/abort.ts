import { asRolloutError, RolloutError } from "./errors.ts";

const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `callback` when `signal` is aborted, or immediately if it already is. Returns a function that unsubscribes. All
 * callbacks of a signal share one listener, because thousands of rollouts share the signal of their run.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const subscribers = callbacks.get(signal) ?? new Set<() => void>();
  if (!callbacks.has(signal)) {
    callbacks.set(signal, subscribers);
    signal.addEventListener("abort", () => subscribers.forEach((call) => call()), { once: true });
  }
  subscribers.add(callback);
  return () => subscribers.delete(callback);
}

/** Yields the items of `source` until `signal` is aborted, also while `source` hangs. */
export async function* untilAborted<Item>(
  source: AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const result = await orAborted(iterator.next(), signal);
      if (result === undefined || result.done === true) return;
      yield result.value;
    }
  } finally {
    // Not awaited: the `return` of a generator waits for its pending `next`, which may hang.
    iterator.return?.().catch(() => undefined);
  }
}

function orAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const unsubscribe = onAbort(signal, () => resolve(undefined));
    void promise.then(resolve, reject).finally(unsubscribe);
  });
}

/** Waits, or rejects with the signal's reason. Replaces `setTimeout` of `node:timers/promises`, which browsers do not have. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      unsubscribe();
      resolve();
    }, milliseconds);
    const unsubscribe = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

/**
 * Returns a function that a loop awaits for each item. Every 50 ms, it lets signals and timers run, which have to wait while a
 * loop awaits promises that are already settled.
 */
export function eventLoopYield(): () => Promise<void> {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < 50) return;
    await new Promise((resolve) => setTimeout(resolve));
    last = performance.now();
  };
}

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
      onAbort(controller.signal, () => reject(controller.signal.reason as Error));
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

/** The longest delay of a timer in milliseconds, 24 days. A timeout above it, such as `Infinity`, sets no timer. */
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
