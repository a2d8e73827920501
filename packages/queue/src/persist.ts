import { sleep } from "@envs/core/engine";

import { QueueUnavailableError } from "./queue.ts";

export interface PersistOptions {
  /** Ends the attempts: the error of the latest is thrown. */
  readonly signal?: AbortSignal | undefined;
  /** Called after each failed attempt. */
  readonly onUnavailable?: ((error: QueueUnavailableError) => void) | undefined;
}

const firstDelayMs = 250;
const maxDelayMs = 5000;
/** The maximum number of attempts, about ten minutes, after which the caller receives the error. */
const maxAttempts = 125;

/** Repeats a call while the queue cannot be reached, with exponential backoff. */
export async function persist<Result>(
  call: () => Promise<Result>,
  { signal = new AbortController().signal, onUnavailable }: PersistOptions = {},
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof QueueUnavailableError)) throw error;
      if (attempt === maxAttempts || signal.aborted) throw error;
      onUnavailable?.(error);
      await sleep(Math.min(maxDelayMs, firstDelayMs * 2 ** (attempt - 1)), signal).catch(() => {});
    }
  }
}
