import { threadTime } from "./cpu-time.ts";

/** The limit that a run reached: its CPU time, or the larger one of the clock. */
export type TimeLimit = "cpu" | "clock";

/**
 * How long a run may take by the clock, in milliseconds, if it may use `ms` of CPU time. It ends code that waits, and code that
 * hardly runs because the machine is busy.
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

/** Counts the time of one run after the other. */
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

  /** The limit that the run has reached. Cheap: a thread's CPU time is at most that of the clock, so it is rarely read. */
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
    // Other threads of a process, such as compilers, do not count more than the clock.
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
