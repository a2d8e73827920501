import { readFileSync } from "node:fs";

/**
 * The CPU time of the calling thread in milliseconds, since an arbitrary moment, independent of other load on the machine. Before
 * Node 24: the time by the clock.
 */
export function threadTime(): number {
  // Node 22 lacks this function.
  const { threadCpuUsage } = process as Partial<Pick<NodeJS.Process, "threadCpuUsage">>;
  return threadCpuUsage === undefined ? performance.now() : milliseconds(threadCpuUsage());
}

/** Converts Node's microseconds to milliseconds. */
export function milliseconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

/** Linux counts for programs in hundredths of a second. */
const tickMs = 10;

/** The CPU time of a process and its children, in milliseconds. `undefined` where there is no `/proc`, or if it has ended. */
export function processTime(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may contain anything.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const own = (Number(fields[11]) + Number(fields[12])) * tickMs;
    return childrenOf(pid).reduce((sum, child) => sum + (processTime(child) ?? 0), own);
  } catch {
    return undefined;
  }
}

/** The processes that a process has started. Empty on systems without `/proc`. */
export function childrenOf(pid: number): readonly number[] {
  try {
    const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return text.trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
