import { setTimeout as sleep } from "node:timers/promises";

import type { HealthCheck } from "../machine.ts";
import type { Box } from "./box.ts";
import { runCommand } from "./run-command.ts";

/** Waits until the command of a health check succeeds. Rejects after as many failures in a row as it allows. */
export async function waitUntilHealthy(
  box: Box,
  check: HealthCheck,
  options: {
    readonly user: string | undefined;
    readonly env: Readonly<Record<string, string>>;
    readonly cwd: string | undefined;
    readonly signal: AbortSignal | undefined;
  },
): Promise<void> {
  const { intervalMs = 5_000, timeoutMs = 30_000, startPeriodMs = 0, retries = 3 } = check;
  const { startIntervalMs = intervalMs } = check;
  const started = performance.now();
  for (let failures = 0; ;) {
    const { exitCode, stderr, stdout, timedOut } = await runCommand(box, check.command, {
      ...options,
      timeoutMs,
    });
    if (exitCode === 0) return;
    const isStarting = performance.now() - started < startPeriodMs;
    if (!isStarting) failures += 1;
    if (failures >= retries) {
      const why = timedOut ? `no end in ${timeoutMs} ms` : `exit code ${exitCode}`;
      const output = (stderr.trim() || stdout.trim()).slice(-500);
      throw new Error(
        `The machine is not healthy: ${failures} of ${retries} health checks failed, the last one with ${why}${output === "" ? "" : `: ${output}`}. Check the command, or raise retries or startPeriodMs.`,
      );
    }
    await sleep(isStarting ? startIntervalMs : intervalMs, undefined, { signal: options.signal });
  }
}
