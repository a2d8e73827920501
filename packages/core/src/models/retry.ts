import { random } from "../random.ts";
import { now } from "../trajectory.ts";

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

/** A server that asks for more than this is not worth waiting for: the try comes early, and may be the last. */
const longestWait = 120_000;

/**
 * How long to wait before the next try: as long as the server asks for, two minutes at most, and up to a quarter more,
 * so that not all who were sent away come back at once; else {@link backoff}.
 */
export function retryDelay(headers: Headers | undefined, attempt: number, seed: number): number {
  const asked = retryAfter(headers, now());
  if (asked === undefined) return backoff(attempt, seed);
  const jitter = 1 + 0.25 * random("retry-after", seed, attempt).next();
  return Math.min(asked, longestWait) * jitter;
}

function sleep(delay: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, delay);
    signal.addEventListener("abort", stop, { once: true });
  });
}
