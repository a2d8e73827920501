import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { onTestFinished, vi } from "vitest";

const bin = join(import.meta.dirname, "../../../cli/src/bin.ts");

/** A command that runs until it ends or is killed. */
export interface RunningCommand {
  readonly child: ChildProcess;
  /** Resolves when stderr contains a text. */
  readonly prints: (text: string) => Promise<void>;
  /** Waits for the exit code. */
  readonly ended: () => Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** Starts the command line from its sources, and kills it after the test. */
export function startEnvs(args: readonly string[]): RunningCommand {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: join(import.meta.dirname, "../../../.."),
    env: { ...process.env, NO_COLOR: "1", NODE_PATH: "" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.on("data", (chunk) => (stderr += String(chunk)));
  return {
    child,
    prints: (text) =>
      vi.waitUntil(
        () => {
          if (stderr.includes(text)) return true;
          if (child.exitCode === null) return false;
          throw new Error(`The command ended without printing ${JSON.stringify(text)}: ${stderr}`);
        },
        { timeout: 60_000 },
      ) as unknown as Promise<void>,
    async ended() {
      if (child.exitCode === null && child.signalCode === null) await once(child, "close");
      return { code: child.exitCode, stderr };
    },
  };
}
