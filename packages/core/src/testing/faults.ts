import { random, type Seed } from "../random.ts";

/** Which requests a fault strikes; several conditions must all hold. None: every request. */
export interface When {
  /** The share of requests, from 0 to 1, drawn from the server's seed and the request's number. */
  readonly chance?: number;
  /** The first so many requests after the faults were set. */
  readonly first?: number;
  /** Each so-manyth request after the faults were set: 3 strikes the third, the sixth, … */
  readonly every?: number;
  /**
   * Whether the fault may strike a request whose body the server has received before. Default true. With false, `first` and
   * `every` count requests with a new body only, so that the faults cannot use up a client's retries.
   */
  readonly retries?: boolean;
}

/** What may go wrong with a server, and when. */
export interface Faults {
  /** Waits before it does anything else. */
  readonly delay?: When & { readonly milliseconds: number };
  /** Never answers. */
  readonly stall?: When;
  /** Closes the connection without an answer. */
  readonly drop?: When;
  /** Answers 429; `retryAfter` is in seconds, told as a date if `asDate`. */
  readonly rateLimit?: When & { readonly retryAfter?: number; readonly asDate?: boolean };
  /** Answers 500, or another status. */
  readonly serverError?: When & { readonly status?: number };
  /** Answers with half of the JSON, as if it were all. */
  readonly brokenJson?: When;
  /** Closes the connection in the middle of the body. */
  readonly cut?: When;
  /** Answers with a page of HTML. */
  readonly wrongType?: When;
  /** Answers with a completion that has no choices. */
  readonly noChoices?: When;
  /** Sends the body in small pieces, with a wait after each. */
  readonly drip?: When & { readonly bytes: number; readonly milliseconds: number };
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
  /** Among all requests since the server started. */
  readonly total: number;
  /** Among all requests since the faults were set. */
  readonly sinceSet: number;
  /** Among the requests with a new body since the faults were set; undefined for a retry. */
  readonly withNewBody: number | undefined;
}

/** Decides whether a fault strikes a request. */
export function strikes(
  { chance = 1, first = Infinity, every = 1, retries = true }: When,
  { total, sinceSet, withNewBody }: RequestNumber,
  seed: Seed,
): boolean {
  const number = retries ? sinceSet : withNewBody;
  if (number === undefined || number >= first || (number + 1) % every !== 0) return false;
  return chance >= 1 || random("fault", seed, total).next() < chance;
}
