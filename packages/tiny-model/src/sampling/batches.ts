import type { Completion, Sampler, SampleRequest } from "./sampler.ts";

interface PendingRequest {
  readonly request: SampleRequest;
  readonly signal: AbortSignal;
  readonly resolve: (completion: Completion) => void;
  readonly reject: (error: unknown) => void;
}

/** Minimum size of a batch that is sampled while the callers of another continue. */
const minOverlapping = 64;

/**
 * Samples concurrent requests in batches: requests that arrive while a batch is sampled form the next one. Many requests
 * are sampled as two halves, so that the callers of one half continue while other threads sample the other half. A
 * completion does not depend on its batch.
 */
export function inBatches(
  sampler: Sampler,
): (request: SampleRequest, signal: AbortSignal) => Promise<Completion> {
  let pending: PendingRequest[] = [];
  let isBusy = false;

  /** Starts to sample the first `count` pending requests, and resolves to a function that delivers their completions. */
  const start = async (count: number): Promise<() => void> => {
    const batch = pending.slice(0, count).filter(({ signal }) => !signal.aborted);
    pending = pending.slice(count);
    if (batch.length === 0) return () => {};
    try {
      const completions = await sampler.sample(batch.map(({ request }) => request));
      return () => {
        for (const [index, { resolve }] of batch.entries()) resolve(completions[index]!);
      };
    } catch (error) {
      return () => {
        for (const { reject } of batch) reject(error);
      };
    }
  };

  const sampleAll = async (): Promise<void> => {
    await nextTask();
    while (pending.length > 0) {
      const isSplit = pending.length >= 2 * minOverlapping;
      let batch = start(isSplit ? Math.ceil(pending.length / 2) : pending.length);
      for (;;) {
        const deliver = await batch;
        // The next batch starts before the callers of this one continue.
        const next = pending.length >= minOverlapping ? start(pending.length) : undefined;
        deliver();
        await nextTask();
        if (next === undefined) break;
        batch = next;
      }
    }
    isBusy = false;
  };

  return async (request, signal) => {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Completion>();
    const abort = (): void => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
    pending.push({ request, signal, resolve, reject });
    if (!isBusy) {
      isBusy = true;
      void sampleAll();
    }
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", abort);
    }
  };
}

/** Lets callers of the same turn of the event loop join a batch. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
