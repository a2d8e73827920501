import { threadTime } from "./cpu-time.ts";

/** The limit that a run reached: its CPU time, or the larger one of the clock. */
export type TimeLimit = "cpu" | "clock";

/**
 * The time limit by the clock for a run with `ms` of CPU time. It ends code that waits, and code that hardly runs on a busy
 * machine.
 */
export function clockLimit(ms: number): number {
  return 10 * ms + 20_000;
}

/** Names the limit that a run reached. The same in every run, because models read it. */
export function limitMessage(limit: TimeLimit, ms: number): string {
  return limit === "cpu"
    ? `The run exceeded its limit of ${ms} ms of CPU time.`
    : `The run took ${clockLimit(ms)} ms by the clock, and did not use its ${ms} ms of CPU time.`;
}

/** Counts the time of runs, one at a time. */
export class RunTime {
  readonly #cpuTime: () => number;
  #ms = Infinity;
  #cpuStart = 0;
  #clockStart = 0;
  #nextCheck = Infinity;

  /** `cpuTime` returns the CPU time so far, in milliseconds; by default, that of the calling thread. */
  constructor(cpuTime: () => number = threadTime) {
    this.#cpuTime = cpuTime;
  }

  start(ms: number): void {
    this.#ms = ms;
    this.#cpuStart = this.#cpuTime();
    this.#clockStart = performance.now();
    this.#nextCheck = this.#clockStart + ms;
  }

  /** The limit that the run has reached. Reads the CPU time rarely, because it is at most the time by the clock. */
  reached(): TimeLimit | undefined {
    const now = performance.now();
    if (now < this.#nextCheck) return undefined;
    const left = this.left();
    if (left <= 0) return "cpu";
    const end = this.#clockStart + clockLimit(this.#ms);
    if (now >= end) return "clock";
    this.#nextCheck = Math.min(now + left, end);
    return undefined;
  }

  /** The CPU time that is left, in milliseconds. */
  left(): number {
    const cpu = this.#cpuTime() - this.#cpuStart;
    // Caps the time at that of the clock, because other threads of a process, such as compilers, count too.
    return this.#ms - Math.min(cpu, performance.now() - this.#clockStart);
  }

  /** The milliseconds until the next moment at which a limit can be reached. */
  untilNextCheck(): number {
    return Math.max(1, Math.ceil(this.#nextCheck - performance.now()));
  }

  /** Does not count the time of some work, such as a function of the host. */
  pause<Value>(work: () => Value): Value {
    const resume = this.suspend();
    try {
      return work();
    } finally {
      resume();
    }
  }

  /** Stops counting. Returns a function that continues. */
  suspend(): () => void {
    const [cpu, clock] = [this.#cpuTime(), performance.now()];
    return () => {
      const waited = performance.now() - clock;
      this.#cpuStart += this.#cpuTime() - cpu;
      this.#clockStart += waited;
      this.#nextCheck += waited;
    };
  }
}
