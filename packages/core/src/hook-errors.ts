import { messageOf, RolloutError, type RolloutErrorCode } from "./errors.ts";

/** Which code of an author runs, for the errors that it causes. */
export interface HookOperation {
  readonly code: RolloutErrorCode;
  /** Names the hook, such as `respond` or `the score win`. */
  readonly operation: string;
}

/** The error of a call that took too long. */
export function timeoutError({ operation }: HookOperation, timeout: number): RolloutError {
  return new RolloutError("timeout", `${operation} took longer than ${timeout} ms.`);
}

/** The error of a promise that was rejected and that no code awaited. */
export function unawaitedError({ code, operation }: HookOperation, cause: unknown): RolloutError {
  return new RolloutError(
    code,
    `${operation}: a promise that no code awaited was rejected: ${messageOf(cause)}. Await the promise, or catch its error.`,
    { cause },
  );
}

/** The error of a timer or listener that threw. */
export function callbackError({ code, operation }: HookOperation, cause: unknown): RolloutError {
  return new RolloutError(
    code,
    `${operation}: a callback that it left behind, such as a timer or a listener, threw: ${messageOf(cause)}. Catch the error inside the callback.`,
    { cause },
  );
}

/** The error of a call whose promise can never settle. */
export function unsettledError({ code, operation }: HookOperation): RolloutError {
  return new RolloutError(
    code,
    `${operation}: it returned a promise that never settles: the process has no timer, request or file left to wait for. Resolve or reject the promise.`,
  );
}
