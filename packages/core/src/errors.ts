/**
 * How errors work in this package. There are four mechanisms.
 *
 * 1. **`ConfigError` reports misuse**: an invalid config, an unknown split, a missing API key. The function that receives the
 *    bad input throws it to the caller, before any model call. It never becomes part of a rollout.
 * 2. **Code of authors throws plain errors**: hooks of an environment, tools, scores, policies and custom models throw what
 *    they like. They need not import an error class. (A model or tool may throw a `RolloutError` to choose its code.)
 * 3. **`boundary()` classifies.** The engine calls code of authors only through `boundary(code, operation, work)`, which turns
 *    a plain error into a `RolloutError` with that code, the name of the operation, and the error as its `cause`. No other
 *    function classifies errors.
 * 4. **A `RolloutError` ends one rollout.** The rollout is recorded as failed, with the error's code and message and without a
 *    reward; other rollouts continue. Callers read `rollout.error.code`, they do not catch. `isFatal` marks an error
 *    that would fail the remaining rollouts too; one with `isOverflow` truncates the rollout instead of failing it.
 */

/** Every {@link RolloutErrorCode}, for readers of records. */
export const rolloutErrorCodes = [
  "model",
  "agent",
  "environment",
  "tool",
  "score",
  "timeout",
  "crash",
  "worker",
  "cancelled",
] as const;

/**
 * The operation in which a rollout failed. Codes are permanent; messages may change.
 *
 * - `model`: the model or its server failed after its retries.
 * - `agent`: an agent threw, or its program failed.
 * - `environment`: `setup`, `respond`, a stop condition, `close` or a policy threw.
 * - `tool`: a tool call failed, in an environment with `toolErrors: "fail"`.
 * - `score`: a score threw, or returned a value that is neither a finite number in its range nor `null`.
 * - `timeout`: a turn or the rollout exceeded its time limit.
 * - `crash`: of a queue, the rollout ended the process that played it: out of memory, a native crash, an endless loop.
 * - `worker`: of a queue, no worker could play the rollout in twenty attempts.
 * - `cancelled`: the caller's signal was aborted.
 */
export type RolloutErrorCode = (typeof rolloutErrorCodes)[number];

export interface RolloutErrorOptions extends ErrorOptions {
  /** The next rollout would fail the same way (invalid API key, unknown model): the caller may stop the run. Default false. */
  readonly isFatal?: boolean | undefined;
  /** The conversation exceeds the model's context: the rollout is truncated and scored, not failed. Default false. */
  readonly isOverflow?: boolean | undefined;
  /** The HTTP status of the model's server, if it responded with an error. */
  readonly status?: number | undefined;
}

/** Why a rollout failed. It is recorded on that rollout and does not stop the others. */
export class RolloutError extends Error {
  override readonly name = "RolloutError";
  readonly code: RolloutErrorCode;
  readonly isFatal: boolean;
  readonly isOverflow: boolean;
  readonly status: number | undefined;

  constructor(code: RolloutErrorCode, message: string, options: RolloutErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.isFatal = options.isFatal ?? false;
    this.isOverflow = options.isOverflow ?? false;
    this.status = options.status;
  }
}

/** One invalid part of an input. */
export interface Issue {
  /** Property names and indices from the outside in; empty for the whole input. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Misuse: an invalid config, an unknown split, a missing API key. Thrown before any model call. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly issues: readonly Issue[];

  constructor(message: string, issues: readonly Issue[] = [], options?: ErrorOptions) {
    const lines = issues.map(({ path, message: text }) =>
      path.length === 0 ? `  ${text}` : `  ${path.join(".")}: ${text}`,
    );
    super([message, ...lines].join("\n"), options);
    this.issues = issues;
  }
}

/** Whether an error is a {@link RolloutError}, of this or of another copy of this package. */
export function isRolloutError(error: unknown): error is RolloutError {
  return error instanceof Error && error.name === "RolloutError" && "code" in error;
}

/** Whether an error is a {@link ConfigError}, of this or of another copy of this package. */
export function isConfigError(error: unknown): error is ConfigError {
  return error instanceof Error && error.name === "ConfigError" && "issues" in error;
}

/** Returns the message of any thrown value, whether it is an `Error` or not. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  if (typeof error !== "object" || error === null) return String(error);
  return "message" in error && typeof error.message === "string"
    ? error.message
    : "an object that is not an Error";
}

/** Turns any thrown value into a {@link RolloutError}. A value that already is one is returned unchanged. */
export function asRolloutError(
  code: RolloutErrorCode,
  operation: string,
  error: unknown,
): RolloutError {
  if (isRolloutError(error)) return error;
  return new RolloutError(code, `${operation}: ${messageOf(error)}${hintOf(error)}`, {
    cause: error,
  });
}

/** The remedy for an attempt to change data that rollouts or scores share. */
function hintOf(error: unknown): string {
  const isFrozen =
    error instanceof TypeError &&
    /read.only property|not extensible|Cannot delete/.test(error.message);
  return isFrozen
    ? ". The config, and the conversation that scores receive, are read-only: change a copy."
    : "";
}

/** Runs code of an author. If it throws, the error becomes a {@link RolloutError} with `code`, and names the `operation`. */
export async function boundary<Result>(
  code: RolloutErrorCode,
  operation: string,
  work: () => Result | PromiseLike<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asRolloutError(code, operation, error);
  }
}
