import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { ProbedUse } from "./probe.ts";

const probe = join(import.meta.dirname, "probe.ts");
const probeTimeoutMs = 20_000;

/**
 * The processor time of a process and its descendants, in milliseconds, without that of threads and processes that have ended.
 * Linux only, like all of this file.
 */
export function cpuOfTree(root: number): number {
  const threads = processesOfTree(root).flatMap(threadFolders);
  // See proc(5): nanoseconds on a processor, nanoseconds of waiting for one, time slices.
  const times = threads.map((folder) => Number(read(`${folder}/schedstat`).split(" ")[0]));
  return times.reduce((sum, time) => sum + time, 0) / 1e6;
}

/** The same with threads that have ended, in steps of 10 ms. */
export function allCpuOfTree(root: number): number {
  // See proc(5): the 14th and 15th field are times in user and system mode. The second, the name, may contain spaces.
  const ticks = processesOfTree(root).flatMap((pid) => {
    const text = read(`/proc/${pid}/stat`);
    return text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13);
  });
  return ticks.reduce((sum, time) => sum + Number(time), 0) * 10;
}

/** Loads the probe into every program of Node that starts during `work`, which receives the folder of the results. */
export async function withProbe<Result>(
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "envs-budgets-"));
  Object.assign(process.env, { ENVS_PROBE: folder, NODE_OPTIONS: `--import=${probe}` });
  try {
    return await work(folder);
  } finally {
    delete process.env["ENVS_PROBE"];
    delete process.env["NODE_OPTIONS"];
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The reachable memory of JavaScript of a process and its descendants, in MiB. They have the probe. */
export async function heapOfTree(root: number, folder: string): Promise<number> {
  let sum = 0;
  for (const pid of processesOfTree(root)) {
    const path = join(folder, `${pid}.json`);
    process.kill(pid, "SIGUSR2");
    for (const start = performance.now(); !existsSync(path); await sleep(10))
      if (performance.now() - start > probeTimeoutMs)
        throw new Error(`Process ${pid} did not report its memory.`);
    sum += (JSON.parse(readFileSync(path, "utf8")) as ProbedUse).heapMiB;
    rmSync(path);
  }
  return sum;
}

/** A process and its descendants. */
function processesOfTree(root: number): readonly number[] {
  const children = threadFolders(root).flatMap(
    (folder) => read(`${folder}/children`).match(/\d+/gu) ?? [],
  );
  return [root, ...children.map(Number).flatMap(processesOfTree)];
}

function threadFolders(pid: number): readonly string[] {
  const folder = `/proc/${pid}/task`;
  try {
    return readdirSync(folder).map((thread) => `${folder}/${thread}`);
  } catch {
    // The process has ended.
    return [];
  }
}

/** Empty if the thread has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
