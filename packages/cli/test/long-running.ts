import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import { onTestFinished } from "vitest";

const bin = join(import.meta.dirname, "../src/bin.ts");

/** Starts a command that runs until a signal. Resolves when its output matches `ready`. */
export async function started(
  args: readonly string[],
  ready: RegExp,
  variables: NodeJS.ProcessEnv = {},
) {
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: join(import.meta.dirname, "../../.."),
    env: { ...process.env, NO_COLOR: "1", NODE_PATH: "", ...variables },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.stderr += text));
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      said.stdout += text;
      if (ready.test(said.stdout)) resolve();
    });
    child.once("exit", (code) => reject(new Error(`exited with ${code}: ${said.stderr}`)));
  });
  return {
    said,
    /** Sends a signal, and waits for the exit code. */
    async end(signal: NodeJS.Signals): Promise<number | null> {
      child.kill(signal);
      await once(child, "exit");
      return child.exitCode;
    },
  };
}
