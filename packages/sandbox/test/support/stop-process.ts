import { setTimeout as sleep } from "node:timers/promises";

import { sandboxProcesses } from "../../src/doctor.ts";
import type { RunResult, Sandbox } from "../../src/sandbox.ts";
import { childrenOf } from "../../src/time/cpu-time.ts";

const cpuLimit = 500;
/** Longer than the limit plus the grace period of the host. */
const stopMs = cpuLimit + 1500;

/**
 * Runs code in a process that gets no CPU time for a while, as on a busy machine: longer than the limit of the run, which it does
 * not need. Returns the result. `code` computes for a time that grows with its argument.
 */
export async function runStopped(
  sandbox: Sandbox,
  code: (loops: number) => string,
): Promise<RunResult> {
  let loops = 1000;
  while (!(await sandbox.run(code(loops), { ms: cpuLimit })).timedOut) loops *= 2;
  const running = sandbox.run(code(Math.floor(loops / 4)), { ms: cpuLimit });
  // The run has begun, and takes longer than this pause.
  await sleep(30);
  const own = sandboxProcesses().filter(({ host }) => host === process.pid);
  const all = own.flatMap(({ pid }) => withChildren(pid));
  for (const pid of all) process.kill(pid, "SIGSTOP");
  await sleep(stopMs);
  for (const pid of all.toReversed()) process.kill(pid, "SIGCONT");
  return await running;
}

function withChildren(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(withChildren)];
}
