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
  let subscribers = callbacks.get(signal);
  if (subscribers === undefined) {
    const created = new Set<() => void>();
    signal.addEventListener("abort", () => created.forEach((call) => call()), { once: true });
    callbacks.set(signal, created);
    subscribers = created;
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
    signal.throwIfAborted();
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, milliseconds);
    signal.addEventListener("abort", abort, { once: true });
  });
}
