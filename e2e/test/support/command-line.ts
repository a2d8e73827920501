import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const bin = join(import.meta.dirname, "../../../packages/cli/src/bin.ts");

/** The output and exit code of a command; `null` if a signal ended it. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the command line from its sources in this package's folder, without an API key. */
export function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess {
  return spawn(process.execPath, [bin, ...args], {
    cwd: join(import.meta.dirname, "../.."),
    env: { ...process.env, NO_COLOR: "1", OPENAI_API_KEY: "", OPENAI_BASE_URL: "", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** Waits for a command and collects what it prints. */
export async function finished(child: ChildProcess): Promise<Finished> {
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (chunk) => (stdout += String(chunk)));
  child.stderr?.on("data", (chunk) => (stderr += String(chunk)));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stdout, stderr };
}

/** Runs the command line and waits for its end. */
export function envs(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  return finished(start(args, env));
}

/** Creates a folder that disposal removes. Retries, because a killed program may still write into it. */
export async function temporaryFolder(): Promise<{ path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), "envs-e2e-"));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10 }),
  };
}
