import { Output } from "../child/output.ts";
import {
  type Limits,
  limitsOf,
  type RunOptions,
  type RunResult,
  type Sandbox,
  type SandboxOptions,
} from "../sandbox.ts";
import { Turns, waitFor } from "../turns.ts";

/** What runs the code of one sandbox: a container, or a machine of a service. */
export interface Machine {
  /** Runs code to its end. `ms` is the time limit, at which the sandbox removes the machine. */
  run(code: string, options: MachineRun): Promise<MachineResult>;
  read(path: string): Promise<Uint8Array>;
  write(path: string, content: string | Uint8Array): Promise<void>;
  /** Whether code left processes behind, which would use up the limits of the next run. */
  hasProcesses(): Promise<boolean>;
  remove(): Promise<unknown>;
}

export interface MachineRun {
  readonly stdin: string;
  readonly ms: number;
  readonly output: Output;
}

export type MachineResult = Pick<RunResult, "value" | "exitCode" | "outOfMemory">;

/** The result of code that was ended with its machine by SIGKILL. */
const ended: MachineResult = { value: undefined, exitCode: 137, outOfMemory: false };

/**
 * Runs code on one machine. A run that does not end, or leaves processes behind, is ended with the machine; the next run has a new
 * one.
 */
export class MachineSandbox implements Sandbox {
  readonly #start: (limits: Limits) => Promise<Machine>;
  readonly #options: SandboxOptions;
  readonly #limits: Limits;
  readonly #turns: Turns;
  #machine: Machine | undefined;
  #removal: Promise<void> = Promise.resolve();
  #isReset = false;

  private constructor(start: (limits: Limits) => Promise<Machine>, options: SandboxOptions) {
    this.#start = start;
    this.#options = options;
    this.#limits = limitsOf(options);
    this.#turns = new Turns(options.signal);
    this.#turns.closed.addEventListener("abort", () => void this.#remove(), { once: true });
  }

  /** Creates a sandbox, and starts its machine, so that the first run need not. */
  static async open(
    start: (limits: Limits) => Promise<Machine>,
    options: SandboxOptions,
  ): Promise<MachineSandbox> {
    const sandbox = new MachineSandbox(start, options);
    await sandbox.#turns.next(() => sandbox.#running());
    return sandbox;
  }

  run(code: string, options: RunOptions = {}): Promise<RunResult> {
    return this.#turns.next(() => this.#run(code, options));
  }

  read(path: string): Promise<Uint8Array> {
    return this.#turns.next(async () => (await this.#running()).read(path));
  }

  write(path: string, content: string | Uint8Array): Promise<void> {
    return this.#turns.next(async () => (await this.#running()).write(path, content));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turns.close();
    await this.#remove();
  }

  async #run(code: string, { stdin = "", signal, ms = Infinity }: RunOptions): Promise<RunResult> {
    signal?.throwIfAborted();
    const machine = await this.#running();
    const output = new Output(this.#limits.output);
    const limit = Math.min(ms, this.#limits.ms);
    const finished = machine.run(code, { stdin, ms: limit, output });
    const result = await waitFor(finished, limit, [signal, this.#turns.closed]);
    const isEnded = result === undefined || (await machine.hasProcesses());
    if (isEnded) await this.#remove();
    const reset = isEnded || this.#isReset;
    this.#isReset = isEnded;
    this.#turns.closed.throwIfAborted();
    signal?.throwIfAborted();
    this.#isReset = false;
    const { texts, truncated } = output;
    return { ...texts, ...(result ?? ended), timedOut: result === undefined, truncated, reset };
  }

  /** The machine of this sandbox, with the files of its options if it is new. */
  async #running(): Promise<Machine> {
    if (this.#machine !== undefined) return this.#machine;
    const machine = await this.#start(this.#limits);
    this.#machine = machine;
    try {
      for (const [path, content] of Object.entries(this.#options.files ?? {}))
        await machine.write(path, content);
      this.#turns.closed.throwIfAborted();
      return machine;
    } catch (error) {
      await this.#remove();
      throw error;
    }
  }

  #remove(): Promise<void> {
    const machine = this.#machine;
    this.#machine = undefined;
    // It may have been removed already, by another program too.
    if (machine !== undefined)
      this.#removal = machine.remove().then(
        () => {},
        () => {},
      );
    return this.#removal;
  }
}
