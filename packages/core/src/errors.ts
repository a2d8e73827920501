/**
 * Where a rollout broke. The code is permanent; the message may improve.
 *
 * - `model`: the model or its server failed after its retries.
 * - `environment`: `setup`, `respond`, a stop condition or a policy threw.
 * - `tool`: a tool threw, in an environment that says its tools must not.
 * - `score`: a score threw, or returned something other than a finite number or `null`.
 * - `timeout`: a turn or the rollout took longer than its limit.
 * - `cancelled`: the caller's signal was aborted.
 */
export type RolloutErrorCode = "model" | "environment" | "tool" | "score" | "timeout" | "cancelled";

/** Every {@link RolloutErrorCode}, for readers of records. */
export const rolloutErrorCodes: readonly RolloutErrorCode[] = [
  "model",
  "environment",
  "tool",
  "score",
  "timeout",
  "cancelled",
];

export interface RolloutErrorOptions extends ErrorOptions {
  /** The next rollout will fail the same way (wrong key, wrong model name): whoever runs many may stop early. */
  readonly isFatal?: boolean;
  /** The conversation no longer fits the model's context: a limit, so the rollout is truncated and scored. */
  readonly isOverflow?: boolean;
}

/** A rollout that could not be finished. It is recorded on the rollout, never thrown at its siblings. */
export class RolloutError extends Error {
  override readonly name = "RolloutError";
  readonly code: RolloutErrorCode;
  readonly isFatal: boolean;
  readonly isOverflow: boolean;

  constructor(code: RolloutErrorCode, message: string, options: RolloutErrorOptions = {}) {
    super(message, options);
    this.code = code;
    this.isFatal = options.isFatal ?? false;
    this.isOverflow = options.isOverflow ?? false;
  }
}

/** One thing that is wrong with an input: where, and what. */
export interface Issue {
  /** Property names and indices from the outside in; empty for the whole. */
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** The caller holds it wrong: a bad config, an unknown split, a missing key. Thrown before any model call. */
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

/** Recognises a {@link RolloutError}, also one of another copy of this package. */
export function isRolloutError(error: unknown): error is RolloutError {
  return error instanceof Error && error.name === "RolloutError" && "code" in error;
}

/** Recognises a {@link ConfigError}, also one of another copy of this package. */
export function isConfigError(error: unknown): error is ConfigError {
  return error instanceof Error && error.name === "ConfigError" && "issues" in error;
}

/** What an error says; also when something other than an `Error` was thrown. */
export function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message || error.name;
  if (typeof error !== "object" || error === null) return String(error);
  return "message" in error && typeof error.message === "string"
    ? error.message
    : "an object that is no error";
}

/** Turns whatever was thrown into a {@link RolloutError}; one that already is passes through. */
export function asRolloutError(code: RolloutErrorCode, what: string, error: unknown): RolloutError {
  if (isRolloutError(error)) return error;
  return new RolloutError(code, `${what}: ${messageOf(error)}`, { cause: error });
}

/** Runs `work`; whatever escapes it is blamed on `code`, and on `what` in words. The only place that classifies failures. */
export async function boundary<Result>(
  code: RolloutErrorCode,
  what: string,
  work: () => Result | PromiseLike<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw asRolloutError(code, what, error);
  }
}
