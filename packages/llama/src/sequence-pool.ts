/** Hands out sequences, each to one request at a time. */
export interface SequencePool<Sequence> {
  /** Waits for a free sequence; who came first goes first. */
  acquire(signal: AbortSignal, overlap: (sequence: Sequence) => number): Promise<Sequence>;
  release(sequence: Sequence): void;
}

interface Waiter<Sequence> {
  readonly take: (sequence: Sequence) => void;
}

/**
 * A pool of sequences. Of several free ones a request gets the one with the largest overlap (of its cache with the
 * prompt); of equal ones that which was used longest ago, for its conversation is the likeliest to be over.
 */
export function sequencePool<Sequence>(sequences: readonly Sequence[]): SequencePool<Sequence> {
  const free = [...sequences];
  const waiting = new Set<Waiter<Sequence>>();

  return {
    async acquire(signal, overlap) {
      signal.throwIfAborted();
      if (free.length > 0) {
        const best = largest(free, overlap);
        return free.splice(best, 1)[0]!;
      }
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          waiting.delete(waiter);
          reject(signal.reason as Error);
        };
        const waiter = {
          take(sequence: Sequence) {
            signal.removeEventListener("abort", leave);
            resolve(sequence);
          },
        };
        signal.addEventListener("abort", leave, { once: true });
        waiting.add(waiter);
      });
    },
    release(sequence) {
      const [first] = waiting;
      if (first === undefined) free.push(sequence);
      else {
        waiting.delete(first);
        first.take(sequence);
      }
    },
  };
}

/** The index of the first item with the largest value. */
function largest<Item>(items: readonly Item[], valueOf: (item: Item) => number): number {
  let best = 0;
  let bestValue = -Infinity;
  for (const [index, item] of items.entries()) {
    const value = valueOf(item);
    if (value > bestValue) [best, bestValue] = [index, value];
  }
  return best;
}
