import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The resident memory of a process and of its descendants at a time. */
export interface MemorySample {
  /** Seconds since the start of the soak. */
  readonly seconds: number;
  readonly mebibytes: number;
}

/** Resident memory of a process and of all its descendants in MiB; 0 once the process has ended. */
export async function residentTree(pid: number): Promise<number> {
  const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,rss="]);
  const processes = stdout
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number) as [number, number, number]);
  const family = new Set([pid]);
  // Children may be listed before their parents.
  for (let size = 0; size !== family.size;) {
    size = family.size;
    for (const [child, parent] of processes) if (family.has(parent)) family.add(child);
  }
  const kibibytes = processes.reduce((sum, [id, , rss]) => (family.has(id) ? sum + rss : sum), 0);
  return kibibytes / 1024;
}

/**
 * The slope of the least-squares line through the second half of the samples, in MiB per hour. The first half fills
 * caches and pools.
 */
export function slope(samples: readonly MemorySample[]): number {
  const late = samples.slice(Math.floor(samples.length / 2));
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanSeconds = mean(late.map(({ seconds }) => seconds));
  const meanMebibytes = mean(late.map(({ mebibytes }) => mebibytes));
  let covariance = 0;
  let variance = 0;
  for (const { seconds, mebibytes } of late) {
    covariance += (seconds - meanSeconds) * (mebibytes - meanMebibytes);
    variance += (seconds - meanSeconds) ** 2;
  }
  return variance === 0 ? 0 : (covariance / variance) * 3600;
}
