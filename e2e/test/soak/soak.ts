import { setTimeout as sleep } from "node:timers/promises";

import { type MemorySample, residentTree, slope } from "./memory.ts";

/** Memory of a server over the soak. */
export interface MemoryReport {
  readonly peakMebibytes: number;
  readonly lastMebibytes: number;
  /** Growth in the second half, in MiB per hour. */
  readonly slope: number;
}

/** The clock of a long run with faults, and the memory of the servers under it. */
export class Soak {
  readonly #start = performance.now();
  readonly #duration: number;
  readonly #conditions: (() => boolean)[] = [];
  readonly #samples = new Map<string, MemorySample[]>();
  readonly #sampling: Promise<void>[] = [];

  /** Starts a run of `minutes` minutes. */
  constructor(minutes: number) {
    this.#duration = minutes * 60;
  }

  /** Seconds since the start. */
  seconds(): number {
    return (performance.now() - this.#start) / 1000;
  }

  /** Lets the run last, past its minutes, until the condition holds: a busy machine does less in a minute. */
  continueUntil(condition: () => boolean): void {
    this.#conditions.push(condition);
  }

  isOver(): boolean {
    return this.seconds() >= this.#duration && this.#conditions.every((holds) => holds());
  }

  /** Waits, at most until the end of the run. Resolves to whether the run continues. */
  async wait(seconds: number): Promise<boolean> {
    const left = this.#duration - this.seconds();
    await sleep((left > 0 ? Math.min(seconds, left) : seconds) * 1000);
    return !this.isOver();
  }

  /** Samples the memory of a server's processes until the end. `pid` returns a new number after a restart. */
  measureMemory(server: string, pid: () => number | undefined): void {
    const samples: MemorySample[] = [];
    this.#samples.set(server, samples);
    const sample = async (): Promise<void> => {
      while (await this.wait(5)) {
        const id = pid();
        const mebibytes = id === undefined ? 0 : await residentTree(id);
        if (mebibytes > 0) samples.push({ seconds: this.seconds(), mebibytes });
      }
    };
    this.#sampling.push(sample());
  }

  /** The memory of each server, once the run is over. */
  async memory(): Promise<Readonly<Record<string, MemoryReport>>> {
    await Promise.all(this.#sampling);
    return Object.fromEntries(
      [...this.#samples].map(([server, samples]) => [
        server,
        {
          peakMebibytes: Math.max(...samples.map(({ mebibytes }) => mebibytes)),
          lastMebibytes: samples.at(-1)?.mebibytes ?? Number.NaN,
          slope: slope(samples),
        },
      ]),
    );
  }
}
