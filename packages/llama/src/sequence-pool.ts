/** Assigns sequences to requests, each to one request at a time. */
export interface SequencePool<Sequence> {
  /** Waits for a free sequence. Requests are served in order. */
  acquire(signal: AbortSignal, overlap: (sequence: Sequence) => number): Promise<Sequence>;
  release(sequence: Sequence): void;
}

interface Waiter<Sequence> {
  readonly resolve: (sequence: Sequence) => void;
}

/**
 * Creates a pool of sequences. A request gets the free sequence with the largest overlap of its cache with the prompt. Of equal
 * ones it gets the least recently used, because its conversation has most likely ended.
 */
export function sequencePool<Sequence>(sequences: readonly Sequence[]): SequencePool<Sequence> {
  const free = [...sequences];
  const waiters = new Set<Waiter<Sequence>>();

  return {
    async acquire(signal, overlap) {
      signal.throwIfAborted();
      if (free.length > 0) {
        const best = indexOfMax(free, overlap);
        return free.splice(best, 1)[0]!;
      }
      return new Promise((resolvePromise, reject) => {
        const abort = (): void => {
          waiters.delete(waiter);
          reject(signal.reason as Error);
        };
        const waiter = {
          resolve(sequence: Sequence) {
            signal.removeEventListener("abort", abort);
            resolvePromise(sequence);
          },
        };
        signal.addEventListener("abort", abort, { once: true });
        waiters.add(waiter);
      });
    },
    release(sequence) {
      const [first] = waiters;
      if (first === undefined) free.push(sequence);
      else {
        waiters.delete(first);
        first.resolve(sequence);
      }
    },
  };
}

/** Returns the index of the first item with the largest value. */
function indexOfMax<Item>(items: readonly Item[], valueOf: (item: Item) => number): number {
  let best = 0;
  let bestValue = -Infinity;
  for (const [index, item] of items.entries()) {
    const value = valueOf(item);
    if (value > bestValue) [best, bestValue] = [index, value];
  }
  return best;
}
