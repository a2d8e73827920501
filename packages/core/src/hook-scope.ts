import { asRolloutError, RolloutError, type RolloutErrorCode } from "./errors.ts";

/** A call of an author's code. */
export interface HookCall extends HookOperation {
  readonly scope: HookScope;
  /** Rejects the call while it runs. */
  reject?: ((error: unknown) => void) | undefined;
}

/** Finds the call that caused an error which reached the process. Only a platform such as Node can implement it. */
export interface HookTracker {
  /** Runs `work`, and remembers `call` in all callbacks and promises that it starts. */
  run<Result>(call: HookCall, work: () => Result): Result;
  /** Resolves after the errors of promises that have already been rejected were attributed. */
  settle(): Promise<void>;
  /** The asynchronous calls that have not settled, oldest first. */
  readonly pending: Set<HookCall>;
}

/** Author's code that releases something. */
export interface ReleaseStep {
  /** Names it in errors, such as `close`. */
  readonly operation: string;
  readonly release: () => unknown;
}

let tracker: HookTracker | undefined;

/** Sets or removes the tracker of this process. */
export function setHookTracker(next: HookTracker | undefined): void {
  tracker = next;
}

/** Waits until the errors of code that has ended are attributed. Without a tracker, it returns immediately. */
export async function settleHooks(): Promise<void> {
  await tracker?.settle();
}

const defaultHookTimeout = 600_000;
const maxCloseTimeout = 60_000;
/** The longest delay of a timer in milliseconds, 24 days. */
const maxDelay = 2 ** 31 - 1;

/**
 * Runs the author's code of one episode. A call ends at its time limit. An error that no code awaits fails the episode: it
 * rejects the running calls and all later ones.
 */
export class HookScope {
  /** The limit of each call, in milliseconds. */
  readonly timeout: number;
  /** An array: it usually has one entry, and a set would allocate memory for each change. */
  readonly #running: HookCall[] = [];
  #failure: Error | undefined;
  #isClosed = false;

  /** `timeout`: default 10 minutes; `Infinity` for none. */
  constructor(timeout: number = defaultHookTimeout) {
    this.timeout = timeout;
  }

  /** The error that no code awaited. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Runs an author's code, and classifies what it throws. */
  run<Result>(
    code: RolloutErrorCode,
    operation: string,
    work: () => Result | PromiseLike<Result>,
  ): Promise<Result> {
    // Like `boundary()`, but without its promises, because each turn calls this function several times.
    try {
      const result = this.watch({ code, operation }, work, true);
      return result instanceof Promise ? result : Promise.resolve(result);
    } catch (error) {
      return Promise.reject(asRolloutError(code, operation, error));
    }
  }

  /** Runs an author's code. Rethrows its errors unchanged, also those of its promise unless `isClassified`. */
  watch<Result>(
    { code, operation }: HookOperation,
    work: () => Result | PromiseLike<Result>,
    isClassified = false,
  ): Result | Promise<Result> {
    if (this.#failure !== undefined) throw this.#failure;
    const call: HookCall = { code, operation, scope: this };
    const result = tracker === undefined ? work() : tracker.run(call, work);
    return isPromiseLike(result) ? this.#wait(call, result, isClassified) : result;
  }

  /** Fails the episode. Returns false if it has ended without an error, so that the caller reports the error. */
  fail(error: Error): boolean {
    if (this.#isClosed) return this.#failure !== undefined;
    this.#failure ??= error;
    for (const call of this.#running.splice(0)) call.reject?.(this.#failure);
    return true;
  }

  /**
   * Ends the scope with the episode. `failure` is why the episode failed: its later errors are not reported. Calls that still
   * run continue, because `setup` may still return what must be released.
   */
  close(failure?: Error): void {
    this.#failure ??= failure;
    this.#isClosed = true;
  }

  /**
   * Releases what the episode acquired, also if it has failed, and closes this scope. Runs every step, one after the other,
   * each within its time limit, and then throws the first error.
   */
  async end(steps: readonly ReleaseStep[]): Promise<void> {
    const errors: unknown[] = [];
    for (const { operation, release } of steps) {
      const closing = new HookScope(Math.min(this.timeout, maxCloseTimeout));
      try {
        await closing.run("environment", operation, release);
        await settleHooks();
        if (closing.failure !== undefined) throw closing.failure;
      } catch (error) {
        errors.push(error);
      } finally {
        closing.close();
      }
    }
    this.close();
    if (errors.length > 0) throw errors[0];
  }

  #wait<Result>(
    call: HookCall,
    result: PromiseLike<Result>,
    isClassified: boolean,
  ): Promise<Result> {
    const pending = tracker?.pending;
    return new Promise<Result>((resolve, reject) => {
      const timer = this.#startTimer(call);
      const end = (): void => {
        clearTimeout(timer);
        const index = this.#running.indexOf(call);
        if (index >= 0) this.#running.splice(index, 1);
        pending?.delete(call);
      };
      const fail = (error: unknown): void => {
        end();
        // oxlint-disable-next-line prefer-promise-reject-errors -- as the author's code rejected it
        reject(isClassified ? asRolloutError(call.code, call.operation, error) : error);
      };
      // By name: V8 keeps an arrow function that is assigned to a property, and what it refers to, until a full collection.
      call.reject = fail;
      this.#running.push(call);
      pending?.add(call);
      result.then((value) => {
        end();
        resolve(value);
      }, fail);
    });
  }

  #startTimer(call: HookCall): NodeJS.Timeout | undefined {
    // A model has its own limits: `turnTimeout`, and those of its server.
    if (call.code === "model" || this.timeout > maxDelay) return undefined;
    const timer = setTimeout(() => call.reject?.(timeoutError(call, this.timeout)), this.timeout);
    // Unreferenced, so that a tracker can notice that nothing else keeps the process alive.
    if (tracker !== undefined) (timer as { unref?: () => void }).unref?.();
    return timer;
  }
}

/** Whether a value is a promise, or an object that can be awaited like one. */
export function isPromiseLike<Result>(
  value: Result | PromiseLike<Result>,
): value is PromiseLike<Result> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}

/** Which code of an author runs, for the errors that it causes. */
export interface HookOperation {
  readonly code: RolloutErrorCode;
  /** Names the hook, such as `respond` or `the score win`. */
  readonly operation: string;
}

/** The error of a call that took too long. */
function timeoutError({ operation }: HookOperation, timeout: number): RolloutError {
  return new RolloutError("timeout", `${operation} took longer than ${timeout} ms.`);
}
