import { random } from "../random.ts";

export interface RetryOptions {
  /** How often to try again. */
  readonly retries: number;
  readonly signal: AbortSignal;
  /** How long to wait before the next try, in milliseconds; `undefined` if there is no point in one. */
  readonly delayFor: (error: unknown, attempt: number) => number | undefined;
}

/** Runs `work` until it succeeds, is hopeless, has no tries left, or is cancelled. */
export async function retry<Result>(
  work: () => Promise<Result>,
  { retries, signal, delayFor }: RetryOptions,
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const delay = attempt < retries && !signal.aborted ? delayFor(error, attempt) : undefined;
      if (delay === undefined) throw error;
      await sleep(delay, signal);
    }
  }
}

/**
 * How long to wait before try number `attempt` + 2, in milliseconds: doubles from half a second to 30 seconds. The
 * jitter spreads those who failed together over the second half of the wait; `seed` decides it.
 */
export function backoff(attempt: number, seed: number): number {
  const longest = Math.min(30_000, 500 * 2 ** attempt);
  return longest * (0.5 + 0.5 * random("backoff", seed, attempt).next());
}

/** Reads `Retry-After`: seconds or a date. In milliseconds from `now`; `undefined` if there is none. */
export function retryAfter(headers: Headers | undefined, now: number): number | undefined {
  const precise = Number(headers?.get("retry-after-ms") ?? Number.NaN);
  if (precise >= 0) return precise;
  const value = headers?.get("retry-after");
  if (!value) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** What a timer can count to, in milliseconds. */
const longest = 2 ** 31 - 1;

function sleep(delay: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal.removeEventListener("abort", stop);
        resolve();
      },
      Math.min(delay, longest),
    );
    signal.addEventListener("abort", stop, { once: true });
  });
}
