import { readFileSync } from "node:fs";

/** The resident memory of a process over its life, in bytes. */
export interface MemorySamples {
  readonly values: readonly number[];
  stop(): void;
}

const intervalMs = 500;

/** Reads the resident memory of a process twice a second. Linux only: elsewhere there are no samples. */
export function sampleMemory(pid: number): MemorySamples {
  const values: number[] = [];
  const timer = setInterval(() => {
    try {
      const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
      if (kilobytes !== null) values.push(Number(kilobytes[1]) * 1024);
    } catch {
      clearInterval(timer);
    }
  }, intervalMs);
  return { values, stop: () => clearInterval(timer) };
}
