import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";

import type { Lease, PlayedRow, QueuedRun } from "./queue.ts";

/** Plays a group whose worker was lost, in its own process. Rejects with a {@link CrashError} if that process ends. */
export type PlayAlone = (
  run: QueuedRun,
  lease: Lease,
  signal: AbortSignal,
) => Promise<readonly PlayedRow[]>;

/** A process that played one group ended before it had played it. */
export class CrashError extends Error {
  override readonly name = "CrashError";
}

/** The message with which the process ends. */
export type AloneResult =
  | { readonly rows: readonly PlayedRow[] }
  /** The process cannot play the run. */
  | { readonly problem: string };

/** How much of the end of standard error is kept, in characters. */
const keptOutput = 4000;

/**
 * Starts the module at `entry` as a process, sends it a task, and waits for its {@link AloneResult}. The process has to end
 * when this one does: see `watchThread`.
 */
export async function playInProcess(
  entry: URL,
  task: unknown,
  signal: AbortSignal,
): Promise<readonly PlayedRow[]> {
  signal.throwIfAborted();
  const child = fork(fileURLToPath(entry), {
    serialization: "advanced",
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    signal,
    killSignal: "SIGKILL",
  });
  let output = "";
  child.stderr!.on("data", (chunk) => (output = `${output}${String(chunk)}`.slice(-keptOutput)));
  try {
    const result = await new Promise<AloneResult>((resolve, reject) => {
      child.once("message", (message) => resolve(message as AloneResult));
      child.once("error", reject);
      // After `close`, standard error has been read to its end.
      child.once("close", (code, killer) =>
        reject(new CrashError(endOf(code ?? String(killer), output))),
      );
      child.send(task as object, () => {});
    });
    if ("problem" in result) throw new Error(result.problem);
    return result.rows;
  } finally {
    child.kill("SIGKILL");
  }
}

/** The exit code or signal, and the line of the output that explains it: V8 writes its stack after `FATAL ERROR`. */
function endOf(code: number | string, output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const fatal = lines.find((line) => line.startsWith("FATAL ERROR")) ?? lines.at(-1);
  const end = typeof code === "number" ? `exit code ${code}` : code;
  return fatal === undefined ? end : `${end}: ${fatal.trim()}`;
}
