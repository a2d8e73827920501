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
