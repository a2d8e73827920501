import { random, type Seed } from "@envs/core";

/** The requests that a fault affects. All given conditions must be true; without conditions, every request is affected. */
export interface FaultCondition {
  /** The share of requests, from 0 to 1. It is drawn from the server's seed and the request's number. Default 1. */
  readonly chance?: number | undefined;
  /** Affects the first `first` requests after the faults were set. */
  readonly first?: number | undefined;
  /** Affects every `every`-th request after the faults were set: with 3, the third, the sixth, … */
  readonly every?: number | undefined;
  /**
   * Whether the fault may affect a request whose body the server has received before. Default true. With false, `first` and
   * `every` count requests with a new body only, so that the faults cannot use up a client's retries.
   */
  readonly retries?: boolean | undefined;
}

/** The faults of a server, and their conditions. */
export interface Faults {
  /** Waits before it reads the request. */
  readonly delay?: (FaultCondition & { readonly milliseconds: number }) | undefined;
  /** Never responds. */
  readonly stall?: FaultCondition | undefined;
  /** Closes the connection without a response. */
  readonly drop?: FaultCondition | undefined;
  /** Responds 429. `retryAfter` is in seconds; with `asDate` it is sent as a date. */
  readonly rateLimit?:
    | (FaultCondition & {
        readonly retryAfter?: number | undefined;
        readonly asDate?: boolean | undefined;
      })
    | undefined;
  /** Responds with `status`. Default 500. */
  readonly serverError?: (FaultCondition & { readonly status?: number | undefined }) | undefined;
  /** Responds with the first half of the JSON, as a complete body. */
  readonly brokenJson?: FaultCondition | undefined;
  /** Closes the connection in the middle of the body. */
  readonly cut?: FaultCondition | undefined;
  /** Responds with an HTML page. */
  readonly wrongType?: FaultCondition | undefined;
  /** Responds with a completion without choices. */
  readonly noChoices?: FaultCondition | undefined;
  /** Sends the body in pieces of `bytes`, with a pause after each. */
  readonly drip?:
    | (FaultCondition & { readonly bytes: number; readonly milliseconds: number })
    | undefined;
}

/** The name of a fault. */
export type FaultName = keyof Faults;

/** Every {@link FaultName}. */
export const faultNames: readonly FaultName[] = [
  "delay",
  "stall",
  "drop",
  "rateLimit",
  "serverError",
  "brokenJson",
  "cut",
  "wrongType",
  "noChoices",
  "drip",
];

/** The position of a request among others, from 0. */
export interface RequestNumber {
  /** The position among all requests since the server started. */
  readonly total: number;
  /** The position among all requests since the faults were set. */
  readonly sinceSet: number;
  /** The position among requests with a new body since the faults were set; undefined for a retry. */
  readonly withNewBody: number | undefined;
}

/** Whether a fault affects a request. */
export function isAffected(
  { chance = 1, first = Infinity, every = 1, retries = true }: FaultCondition,
  { total, sinceSet, withNewBody }: RequestNumber,
  seed: Seed,
): boolean {
  const number = retries ? sinceSet : withNewBody;
  if (number === undefined || number >= first || (number + 1) % every !== 0) return false;
  return chance >= 1 || random("fault", seed, total).next() < chance;
}
