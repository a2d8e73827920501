/** A unit of work of an {@link ActionQueue}. */
export interface Action<Raw, Result> {
  /** Runs the environment's code, which may never end. `isExpired` returns true once the queue has failed the action. */
  readonly run: (isExpired: () => boolean) => Promise<Raw>;
  /** Applies the result. Not called if the queue has failed the action. */
  readonly commit: (raw: Raw) => Result;
}

/** Runs actions one at a time, in order. An action that was failed does not delay the next one. */
export class ActionQueue {
  #tail: Promise<unknown> = Promise.resolve();
  #reject: ((error: unknown) => void) | undefined;
  /** The number of actions that are running or queued. */
  size = 0;
  /** The start of the running action, by `performance.now()`. */
  startedAt: number | undefined;
  /** The end of the last action. */
  endedAt = 0;

  async add<Raw, Result>(action: Action<Raw, Result>): Promise<Result> {
    this.size += 1;
    const result = this.#tail.then(() => this.#run(action));
    this.#tail = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      this.size -= 1;
    }
  }

  /** Rejects the running action at once, and ignores its result. */
  fail(error: unknown): void {
    this.#reject?.(error);
  }

  #run<Raw, Result>({ run, commit }: Action<Raw, Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      let isSettled = false;
      const settle = (apply: () => void): void => {
        if (isSettled) return;
        isSettled = true;
        this.startedAt = undefined;
        this.endedAt = performance.now();
        this.#reject = undefined;
        apply();
      };
      this.startedAt = performance.now();
      this.#reject = (error) => settle(() => reject(error));
      run(() => isSettled).then(
        (raw) => settle(() => resolve(commit(raw))),
        (error: unknown) => settle(() => reject(error)),
      );
    });
  }
}
