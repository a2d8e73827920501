import { workerData } from "node:worker_threads";

import { milliseconds } from "../../time/cpu-time.ts";
import { RunTime } from "../../time/run-time.ts";

/** Interrupts Python when its time is over: Python's own thread is busy. */
const { clock, interrupt } = workerData as {
  /** Milliseconds of CPU time until the interrupt, 0 for none; and the limit that was reached, as in `limits`. */
  readonly clock: Int32Array;
  readonly interrupt: Uint8Array;
};

const limits = { cpu: 1, clock: 2 };
const sigint = 2;
// A thread can only read the time of all threads together.
const time = new RunTime(() => milliseconds(process.cpuUsage()));

for (;;) {
  const ms = Atomics.load(clock, 0);
  if (ms === 0) {
    Atomics.wait(clock, 0, 0);
    continue;
  }
  time.start(ms);
  while (Atomics.wait(clock, 0, ms, time.untilNextCheck()) === "timed-out") {
    const limit = time.reached();
    if (limit === undefined) continue;
    if (Atomics.compareExchange(clock, 0, ms, 0) === ms) {
      Atomics.store(clock, 1, limits[limit]);
      interrupt[0] = sigint;
    }
    break;
  }
}
