import { type ModelRequest, random } from "@envs/core";
import { now, sleep } from "@envs/core/engine";

import { type ResponseHeaders, ServerError } from "./server-error.ts";

export interface RetryOptions {
  /** The maximum number of retries. */
  readonly retries: number;
  readonly signal: AbortSignal;
  /** Returns the delay before the next attempt in milliseconds; `undefined` for an error that is not transient. */
  readonly delayFor: (error: unknown, attempt: number) => number | undefined;
}

/** Runs `work` until it succeeds, fails with a permanent error, has no retries left, or is aborted. */
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

/** Repeats the attempts of a request while they fail with a transient {@link ServerError}. */
export async function retryTransient<Result>(
  { signal, seed = 0 }: Pick<ModelRequest, "signal" | "seed">,
  retries: number,
  work: () => Promise<Result>,
): Promise<Result> {
  return await retry(work, {
    retries,
    signal,
    delayFor: (error, tries) =>
      error instanceof ServerError && error.kind === "transient"
        ? retryDelay(error.headers, tries, seed)
        : undefined,
  });
}

/**
 * The exponential backoff after attempt number `attempt`, from 0: half a second, doubling up to 30 seconds, in milliseconds.
 * Jitter, drawn from `seed`, spreads concurrent requests over the second half of the delay.
 */
export function backoff(attempt: number, seed: number): number {
  const maxDelay = Math.min(30_000, 500 * 2 ** attempt);
  return maxDelay * (0.5 + 0.5 * random("backoff", seed, attempt).next());
}

/** Parses `retry-after-ms` or `Retry-After`, in seconds or as a date. Returns milliseconds from `now`. */
export function retryAfter(headers: ResponseHeaders | undefined, now: number): number | undefined {
  const precise = Number(headers?.["retry-after-ms"] ?? Number.NaN);
  if (precise >= 0) return precise;
  const value = headers?.["retry-after"];
  if (!value) return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** The longest `Retry-After` that is respected, in milliseconds. After a longer one the next attempt is too early. */
const maxRetryAfter = 120_000;

/**
 * The delay before the next attempt in milliseconds: the server's `Retry-After`, at most two minutes, plus up to a quarter as
 * jitter, so that concurrent requests do not all return at once; without the header, {@link backoff}.
 */
export function retryDelay(
  headers: ResponseHeaders | undefined,
  attempt: number,
  seed: number,
): number {
  const requested = retryAfter(headers, now());
  if (requested === undefined) return backoff(attempt, seed);
  const jitter = 1 + 0.25 * random("retry-after", seed, attempt).next();
  return Math.min(requested, maxRetryAfter) * jitter;
}
