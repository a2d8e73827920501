import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

import pLimit from "p-limit";

import type { Lease, PlayedRow, QueuedRun } from "./queue.ts";

/** Plays a group whose worker was lost, in another process. Rejects with a {@link CrashError} if its code ends that process. */
export type PlayAlone = (
  run: QueuedRun,
  lease: Lease,
  signal: AbortSignal,
) => Promise<readonly PlayedRow[]>;

/** A process that had played nothing else ended before it had played a group. */
export class CrashError extends Error {
  override readonly name = "CrashError";
}

/** The reply of a process to a task. */
export type AloneResult =
  | { readonly rows: readonly PlayedRow[] }
  /** Why the process cannot play the run. */
  | { readonly problem: string };

/** How many groups are played at once, each in another process. */
const maxProcesses = 4;
/** How much of the end of standard error is kept, in characters. */
const keptOutput = 4000;

/**
 * Processes that play one group at a time. A process is used again after a group that did not end it: its start takes longer than most
 * groups. If it ends then, an earlier group may be the cause, so the group is played again in a new process.
 */
export class AloneProcesses implements Disposable {
  readonly #entry: URL;
  readonly #limit = pLimit(maxProcesses);
  readonly #idle = new Set<AloneProcess>();

  /** `entry` is the module of a process. It replies to each message with an {@link AloneResult}. */
  constructor(entry: URL) {
    this.#entry = entry;
  }

  /** Sends a task to a process. Rejects with a {@link CrashError} if a new one ends. */
  async play(task: object, signal: AbortSignal): Promise<readonly PlayedRow[]> {
    try {
      return await this.#limit(async () => {
        const [used] = this.#idle;
        if (used === undefined)
          return await this.#playIn(new AloneProcess(this.#entry), task, signal);
        this.#idle.delete(used);
        return await this.#playIn(used, task, signal).catch(async (error: unknown) => {
          if (!(error instanceof CrashError)) throw error;
          return await this.#playIn(new AloneProcess(this.#entry), task, signal);
        });
      });
    } finally {
      if (this.#limit.activeCount + this.#limit.pendingCount === 0) this[Symbol.dispose]();
    }
  }

  async #playIn(
    process: AloneProcess,
    task: object,
    signal: AbortSignal,
  ): Promise<readonly PlayedRow[]> {
    try {
      const rows = await process.play(task, signal);
      this.#idle.add(process);
      return rows;
    } catch (error) {
      process.end();
      throw error;
    }
  }

  /** Ends the processes that play nothing. */
  [Symbol.dispose](): void {
    for (const process of this.#idle) process.end();
    this.#idle.clear();
  }
}

class AloneProcess {
  readonly #child: ChildProcess;
  readonly #closed: Promise<string>;

  constructor(entry: URL) {
    const child = fork(fileURLToPath(entry), {
      serialization: "advanced",
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let output = "";
    child.stderr!.on("data", (chunk) => (output = `${output}${String(chunk)}`.slice(-keptOutput)));
    this.#child = child;
    this.#closed = new Promise((resolve) => {
      child.once("error", ({ message }) => resolve(message));
      // After `close`, standard error has been read to its end.
      child.once("close", (code, killer) => resolve(endOf(code ?? String(killer), output)));
    });
  }

  async play(task: object, signal: AbortSignal): Promise<readonly PlayedRow[]> {
    signal.throwIfAborted();
    const end = (): void => this.end();
    signal.addEventListener("abort", end);
    try {
      const result = await new Promise<AloneResult>((resolve, reject) => {
        this.#child.once("message", (message) => resolve(message as AloneResult));
        void this.#closed.then((reason) => reject(new CrashError(reason)));
        this.#child.send(task, () => {});
      });
      if ("problem" in result) throw new Error(result.problem);
      return result.rows;
    } catch (error) {
      // The caller ended the process.
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", end);
    }
  }

  end(): void {
    this.#child.kill("SIGKILL");
  }
}

/** The exit code or signal, and the line of the output that explains it: V8 writes its stack after `FATAL ERROR`. */
function endOf(code: number | string, output: string): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const fatal = lines.find((line) => line.startsWith("FATAL ERROR")) ?? lines.at(-1);
  const end = typeof code === "number" ? `exit code ${code}` : code;
  return fatal === undefined ? end : `${end}: ${fatal.trim()}`;
}
