import { RolloutError } from "@envs/core";
import type { RolloutErrorOptions } from "@envs/core/engine";
import { isHTTPError, isNetworkError, isTimeoutError } from "ky";

/** The service refused a request or failed at it, after all retries. */
export class ServiceError extends RolloutError {
  /** HTTP's; undefined where no answer came. */
  readonly status: number | undefined;
  /** What the service itself said. */
  readonly words: string;
  /** What was asked for is gone: a session, or the model. */
  readonly isLost: boolean;

  constructor(message: string, options: ServiceErrorOptions = {}) {
    super("model", message, options);
    this.status = options.status;
    this.words = options.words ?? message;
    this.isLost = options.isLost ?? false;
  }
}

interface ServiceErrorOptions extends RolloutErrorOptions {
  readonly status?: number;
  readonly words?: string;
  readonly isLost?: boolean;
}

/** Where a request went, and what it asked for. */
export interface Asked {
  readonly baseURL: string;
  /** The route: `forward_backward`. */
  readonly route: string;
}

/** Says in words what went wrong, why, and what to do. */
export function explain(error: unknown, { baseURL, route }: Asked): ServiceError {
  if (isHTTPError(error)) {
    const { status } = error.response;
    return explainStatus(status, wordsOf(error.data), { baseURL, route });
  }
  if (isTimeoutError(error))
    return new ServiceError(
      `${baseURL} has not answered ${route} in time, however often it was asked. Is the service overloaded? Start again from the last checkpoint.`,
      { cause: error },
    );
  if (isNetworkError(error))
    return new ServiceError(
      `The connection to ${baseURL} failed (${reasonOf(error)}). Is the service running, and is baseURL right?`,
      { cause: error },
    );
  return new ServiceError(`${baseURL} answered ${route} with something that is not JSON.`, {
    cause: error,
  });
}

function explainStatus(status: number, words: string, { baseURL, route }: Asked): ServiceError {
  if (status === 401 || status === 403)
    return new ServiceError(
      `${baseURL} refused the key (${words}). Check apiKey, and that it may use this model.`,
      { status, words, isFatal: true },
    );
  if (status === 404 && /^not found$/iu.test(words))
    return new ServiceError(
      `${baseURL} has no ${route}: it is not a Tinker-compatible service, or baseURL is wrong. baseURL is what stands before /api/v1.`,
      { status, words, isFatal: true },
    );
  if (status === 404) return lost(words, status);
  const told = `The service answered ${route} with status ${status} (${words}).`;
  if (status === 429)
    return new ServiceError(
      `${told} It is still busy after all retries: lower concurrency, or try later.`,
      { status, words },
    );
  return new ServiceError(told, { status, words });
}

/** The model or the session of a run is gone. */
function lost(words: string, status?: number): ServiceError {
  return new ServiceError(
    `The service no longer has the model or the session of this run (${words}). What was learned since the last checkpoint is lost: start again from that checkpoint.`,
    { words, isLost: true, isFatal: true, ...(status === undefined ? {} : { status }) },
  );
}

/** What a failed operation says of itself; some services tell of a lost model only then. */
export function failure(route: string, words: string): ServiceError {
  return /\b(?:model|session)\b.*\bnot (?:found|loaded)\b/iu.test(words)
    ? lost(words)
    : new ServiceError(`The service failed at ${route}: ${words}`);
}

/** The server's own words, in the shapes that FastAPI and Tinker give them. */
function wordsOf(data: unknown): string {
  if (typeof data === "string") return data.trim().slice(0, 500) || "no words";
  if (typeof data !== "object" || data === null) return "no words";
  const { detail, error, message } = data as Record<string, unknown>;
  const words = detail ?? error ?? message ?? data;
  return typeof words === "string" ? words : JSON.stringify(words).slice(0, 500);
}

function reasonOf(error: Error): string {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if ("code" in cause && typeof cause.code === "string") return cause.code;
  return error.message;
}
