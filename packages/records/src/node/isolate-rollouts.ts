import { AsyncLocalStorage } from "node:async_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";

import { RolloutError } from "@envs/core";
import { type HookCall, messageOf, setHookTracker } from "@envs/core/engine";

export interface IsolationOptions {
  /**
   * Called with an error that belongs to no running rollout. `hook` names the author's code that caused it, if the rollout of
   * that code has ended.
   */
  readonly onUnattributed: (error: unknown, hook: string | undefined) => void;
}

const unsettled =
  "it returned a promise that never settles: the process has no timer, request or file left to wait for. Resolve or reject the promise.";

/**
 * Lets an error that no code awaits fail only the rollout whose environment or model caused it, instead of ending this
 * process: a rejected promise, or a timer or listener that throws. A promise that can never settle, because nothing is left
 * in the event loop, fails its rollout too. A process or thread calls it once, before it plays.
 */
export function isolateRollouts({ onUnattributed }: IsolationOptions): Disposable {
  const storage = new AsyncLocalStorage<HookCall>();
  const pending = new Set<HookCall>();
  const attribute =
    (describe: (message: string) => string) =>
    (cause: unknown): void => {
      const call = storage.getStore();
      const problem = describe(messageOf(cause));
      if (call?.scope.fail(hookError(call, problem, cause)) !== true)
        onUnattributed(cause, call?.operation);
    };
  const onRejection = attribute(
    (message) =>
      `a promise that no code awaited was rejected: ${message}. Await the promise, or catch its error.`,
  );
  const onException = attribute(
    (message) =>
      `a callback that it left behind, such as a timer or a listener, threw: ${message}. Catch the error inside the callback.`,
  );
  const onIdle = (): void => {
    // Rejects one call at a time: the others may have waited for this one.
    const [oldest] = pending;
    if (oldest === undefined) return;
    oldest.reject?.(hookError(oldest, unsettled));
    // Keeps the event loop alive, so that the rollouts that follow from this continue.
    setImmediate(() => undefined);
  };

  setHookTracker({
    run: (call, work) => storage.run(call, work),
    // Node reports a rejection after the microtasks, before the next turn of the event loop.
    settle: () => nextTurn(),
    pending,
  });
  process.on("unhandledRejection", onRejection);
  process.on("uncaughtException", onException);
  process.on("beforeExit", onIdle);
  return {
    [Symbol.dispose]() {
      setHookTracker(undefined);
      process.off("unhandledRejection", onRejection);
      process.off("uncaughtException", onException);
      process.off("beforeExit", onIdle);
    },
  };
}

/** The error of a rollout whose code failed where no caller awaits it. */
function hookError({ code, operation }: HookCall, problem: string, cause?: unknown): RolloutError {
  return new RolloutError(code, `${operation}: ${problem}`, { cause });
}
