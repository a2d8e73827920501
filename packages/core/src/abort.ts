const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `callback` when `signal` is aborted, at once if it already is. Returns what takes that back.
 * However many ask, a signal gets one listener: thousands of rollouts share the signal of their run.
 */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    callback();
    return () => {};
  }
  let waiting = callbacks.get(signal);
  if (waiting === undefined) {
    const all = new Set<() => void>();
    signal.addEventListener("abort", () => all.forEach((call) => call()), { once: true });
    callbacks.set(signal, all);
    waiting = all;
  }
  waiting.add(callback);
  return () => waiting.delete(callback);
}

/** The items of `source` until `signal` is aborted. A source that hangs is left behind. */
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
    // Not awaited: a generator that hangs in `next` answers no `return` either.
    iterator.return?.().catch(() => undefined);
  }
}

function orAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const unlink = onAbort(signal, () => resolve(undefined));
    void promise.then(resolve, reject).finally(unlink);
  });
}
