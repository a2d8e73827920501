import { spawn } from "node:child_process";
import { once } from "node:events";

import { RolloutError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import { unwatchGroup, watchGroup } from "@envs/records/node";

export interface RunOptions {
  readonly workspace: string;
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
  /** How to install the command, for the error if it is missing. */
  readonly install: string | undefined;
}

const maxOutput = 8 * 2 ** 20;
const stderrTail = 2_000;

/** Runs a program to its end, and kills what it has started. Resolves to its standard output. */
export async function runProgram(
  command: string,
  args: readonly string[],
  { workspace, signal, env, input, install }: RunOptions,
): Promise<string> {
  signal.throwIfAborted();
  const child = spawn(command, [...args], { cwd: workspace, env, stdio: "pipe", detached: true });
  const kill = (): void => killGroup(child.pid);
  signal.addEventListener("abort", kill, { once: true });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
    if (stdout.length > maxOutput) kill();
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr = (stderr + chunk).slice(-stderrTail);
  });
  // A program may end before it has read its input.
  child.stdin.on("error", () => undefined);
  try {
    const started = once(child, "spawn");
    const closed = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    closed.catch(() => undefined);
    await started;
    watchGroup(child.pid!);
    child.stdin.end(input);
    const [code, killedBy] = await closed;
    signal.throwIfAborted();
    if (stdout.length > maxOutput)
      throw new RolloutError("agent", `${command} wrote more than ${maxOutput} characters.`);
    if (code === 0) return stdout;
    const end = killedBy === null ? `exited with code ${code}` : `was killed by ${killedBy}`;
    const detail =
      stderr.trim() === "" ? "It wrote no error." : `Its last errors: ${stderr.trim()}`;
    throw new RolloutError("agent", `${command} ${end}. ${detail}`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof RolloutError) throw error;
    throw notStarted(command, error, install);
  } finally {
    signal.removeEventListener("abort", kill);
    // Processes that the program started end with it.
    kill();
    if (child.pid !== undefined) unwatchGroup(child.pid);
  }
}

function notStarted(command: string, error: unknown, install: string | undefined): RolloutError {
  const remedy =
    install === undefined
      ? "Check that it is installed, and on the PATH."
      : `Install it: ${install}`;
  const reason = messageOf(error);
  return new RolloutError("agent", `${command} could not start (${reason}). ${remedy}`, {
    cause: error,
    isFatal: true,
  });
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The kill fails if every process of the group has ended.
  }
}
