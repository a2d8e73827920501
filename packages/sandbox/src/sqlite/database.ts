import type { RunOptions, RunResult, Sandbox } from "../sandbox.ts";
import { limitMessage } from "../time/run-time.ts";
import { DatabaseThread, ThreadEnded } from "./database-thread.ts";
import { databasePath, type OpenOptions } from "./engine.ts";
import type { Outcome } from "./execute.ts";
import type { Request } from "./thread.ts";

/** The milliseconds beyond its limit after which a run's thread is ended: one instruction of SQLite can take long. */
const graceMs = 500;

/** A database in its own thread. */
export class Database implements Sandbox {
  readonly #options: OpenOptions;
  #thread: DatabaseThread;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** Starts the thread, and executes the scripts. */
  static async open(options: OpenOptions): Promise<Database> {
    const database = new Database(options);
    try {
      await database.#thread.request({ kind: "open", options });
      return database;
    } catch (error) {
      await database[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(options: OpenOptions) {
    this.#options = options;
    this.#thread = DatabaseThread.take();
  }

  async run(code: string, { signal, ms = Infinity }: RunOptions = {}): Promise<RunResult> {
    signal?.throwIfAborted();
    const { output, ms: maxMs } = this.#options.limits;
    const limits = { ms: Math.min(ms, maxMs), output };
    try {
      const request: Request = { kind: "run", code, limits };
      const outcome = await this.#request(request, limits.ms + graceMs, signal);
      return { ...(outcome as Outcome), reset: false };
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof ThreadEnded && error.reason !== "closed")
        return endedResult(error, limits.ms);
      throw error;
    }
  }

  async read(path: string): Promise<Uint8Array> {
    if (path !== databasePath)
      throw new Error(`${path} does not exist: a database has one file, ${databasePath}.`);
    return (await this.#request({ kind: "read" })) as Uint8Array;
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    await this.#request({ kind: "write", files: { [path]: content } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#thread.giveBack();
  }

  /** Waits for earlier requests, so that the time of a run is its own. */
  #request(request: Request, ms?: number, signal?: AbortSignal): Promise<unknown> {
    const turn = this.#last.then(async () => {
      signal?.throwIfAborted();
      if (this.#isClosed) throw new Error("The database is closed.");
      if (this.#thread.isEnded) {
        this.#thread = DatabaseThread.take();
        // The start of a thread does not count as time of the run.
        await this.#thread.request({ kind: "open", options: this.#options });
      }
      const thread = this.#thread;
      const end = (): void => void thread.end("closed");
      signal?.addEventListener("abort", end, { once: true });
      try {
        const { value } = await thread.request(request, ms);
        return value;
      } finally {
        signal?.removeEventListener("abort", end);
      }
    });
    this.#last = turn.catch(() => {});
    return turn;
  }
}

function endedResult({ reason }: ThreadEnded, ms: number): RunResult {
  const limit = reason === "cpu" || reason === "clock" ? reason : undefined;
  const problem = limit === undefined ? "Out of memory." : limitMessage(limit, ms);
  return {
    stdout: "",
    stderr: `Error: ${problem} The database was reset.\n`,
    value: undefined,
    exitCode: 137,
    timedOut: limit !== undefined,
    outOfMemory: reason === "memory",
    truncated: false,
    reset: true,
  };
}
