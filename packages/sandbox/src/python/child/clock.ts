import { Worker } from "node:worker_threads";

import { RunTime, type TimeLimit } from "../../time/run-time.ts";

/** Limits the time of Python's code. */
export interface Clock {
  readonly interrupt: Uint8Array;
  start(ms: number): void;
  /** Stops, and returns the limit for which Python was interrupted. */
  stop(): TimeLimit | undefined;
  /** Does not count the time of some work, such as a function of the host. */
  pause<Value>(work: () => Value): Value;
}

/** The limits, as the thread numbers them. */
const limits = [undefined, "cpu", "clock"] as const;

export function createClock(): Clock {
  const clock = new Int32Array(new SharedArrayBuffer(8));
  const interrupt = new Uint8Array(new SharedArrayBuffer(1));
  const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const thread = new Worker(new URL(`./clock-thread.${extension}`, import.meta.url), {
    workerData: { clock, interrupt },
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 8 },
  });
  thread.unref();
  const time = new RunTime();
  const set = (ms: number): void => {
    Atomics.store(clock, 0, ms);
    Atomics.notify(clock, 0);
  };
  const setLeft = (): void => set(Math.max(1, Math.ceil(Math.min(time.left(), 2 ** 31 - 1))));
  return {
    interrupt,
    start(ms) {
      Atomics.store(clock, 1, 0);
      interrupt[0] = 0;
      time.start(ms);
      setLeft();
    },
    stop() {
      set(0);
      interrupt[0] = 0;
      return limits[Atomics.load(clock, 1)];
    },
    pause(work) {
      set(0);
      try {
        return time.pause(work);
      } finally {
        setLeft();
      }
    },
  };
}
