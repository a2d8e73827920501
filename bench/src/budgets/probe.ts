// Loaded into measured processes by --import: writes their memory to a file at each SIGUSR2, and their use at their end.
import { renameSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as (options?: { readonly type: "minor" }) => void;

/** What a process uses. */
export interface ProbedUse {
  /** Processor time since its start, in milliseconds. */
  readonly cpuMs: number;
  /** Memory of JavaScript that is reachable, in MiB. */
  readonly heapMiB: number;
  /** The largest resident memory, in MiB. */
  readonly peakMiB: number;
}

/** The processor time of this process for `work`, in milliseconds. First collects the garbage of earlier work. */
export async function ownCpuMs(work: () => Promise<unknown>): Promise<number> {
  collectGarbage({ type: "minor" });
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** What this process uses. */
export function ownUse(): ProbedUse {
  const { user, system } = process.cpuUsage();
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  // V8 drops compiled code that several collections have found unused.
  for (let count = 0; count < 10; count += 1) collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return { cpuMs: (user + system) / 1000, heapMiB: (heapUsed + external) / 2 ** 20, peakMiB };
}

const folder = process.env["ENVS_PROBE"];
if (folder !== undefined) {
  const write = (): void => {
    const path = `${folder}/${process.pid}.json`;
    writeFileSync(`${path}.part`, JSON.stringify(ownUse()));
    renameSync(`${path}.part`, path);
  };
  process.on("SIGUSR2", write).on("exit", write);
}
