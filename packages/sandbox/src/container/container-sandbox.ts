import type Docker from "dockerode";

import { Output } from "../child/output.ts";
import type { RunOptions, RunResult, Sandbox, SandboxOptions } from "../sandbox.ts";
import { Turns, waitFor } from "../turns.ts";
import { execute } from "./exec.ts";
import { type ContainerSettings, createOptions, folder } from "./settings.ts";

const sigkill = 137;
const writeCommand = 'mkdir -p "$(dirname -- "$1")" && cat > "$1"';

/** Runs code in one container. A run that does not end, or leaves
 * processes behind, is ended with the container; the next run has a new one. */
export class ContainerSandbox implements Sandbox {
  readonly #settings: ContainerSettings;
  readonly #options: SandboxOptions;
  readonly #turns: Turns;
  #container: Docker.Container | undefined;
  #removal: Promise<void> = Promise.resolve();
  #isReset = false;

  constructor(settings: ContainerSettings, options: SandboxOptions) {
    this.#settings = settings;
    this.#options = options;
    this.#turns = new Turns(options.signal);
    this.#turns.closed.addEventListener("abort", () => void this.#remove(), { once: true });
  }

  /** Starts the container, so that the first run need not. */
  open(): Promise<void> {
    return this.#turns.next(async () => {
      try {
        await this.#running();
      } catch (error) {
        await this.#remove();
        throw error;
      }
    });
  }

  run(code: string, options: RunOptions = {}): Promise<RunResult> {
    return this.#turns.next(() => this.#run(code, options));
  }

  read(path: string): Promise<Uint8Array> {
    return this.#turns.next(async () => {
      const parts: Buffer[] = [];
      const command = ["cat", "--", path];
      const exitCode = await this.#execute(command, "", (stream, data) => {
        if (stream === "stdout") parts.push(data);
      });
      if (exitCode !== 0) throw new Error(`There is no file ${path} in the sandbox.`);
      return Buffer.concat(parts);
    });
  }

  write(path: string, content: string | Uint8Array): Promise<void> {
    return this.#turns.next(() => this.#write(path, content));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turns.close();
    await this.#remove();
  }

  async #run(code: string, { stdin = "", signal, ms = Infinity }: RunOptions): Promise<RunResult> {
    signal?.throwIfAborted();
    await this.#running();
    const { limits, command } = this.#settings;
    const output = new Output(limits.output);
    const finished = this.#execute(command(code), stdin, (stream, data) =>
      output.write(stream, data),
    );
    const limit = Math.min(ms, limits.ms);
    const exitCode = await waitFor(finished, limit, [signal, this.#turns.closed]);
    const timedOut = exitCode === undefined;
    const isEnded = timedOut || (await this.#hasProcesses());
    if (isEnded) await this.#remove();
    const reset = isEnded || this.#isReset;
    this.#isReset = isEnded;
    this.#turns.closed.throwIfAborted();
    signal?.throwIfAborted();
    this.#isReset = false;
    return {
      ...output.texts,
      value: undefined,
      exitCode: exitCode ?? sigkill,
      timedOut,
      outOfMemory: exitCode === sigkill,
      truncated: output.truncated,
      reset,
    };
  }

  async #running(): Promise<Docker.Container> {
    if (this.#container !== undefined) return this.#container;
    const { docker } = this.#settings;
    this.#container = await docker.createContainer(createOptions(this.#settings));
    await this.#container.start();
    for (const [path, content] of Object.entries(this.#options.files ?? {}))
      await this.#write(path, content);
    this.#turns.closed.throwIfAborted();
    return this.#container;
  }

  async #write(path: string, content: string | Uint8Array): Promise<void> {
    let problem = "";
    const command = ["sh", "-c", writeCommand, "sh", path];
    const exitCode = await this.#execute(command, content, (_, data) => {
      problem += data.toString("utf8").slice(0, 1000);
    });
    if (exitCode !== 0) throw new Error(`Could not write ${path}: ${problem.trim()}`);
  }

  async #execute(
    command: readonly string[],
    input: string | Uint8Array,
    onOutput: (stream: "stdout" | "stderr", data: Buffer) => void,
  ): Promise<number> {
    const container = await this.#running();
    const place = { docker: this.#settings.docker, container };
    return await execute(place, { command, folder, input, onOutput });
  }

  /** Whether code left processes behind, which would use up the limits of the next run. */
  async #hasProcesses(): Promise<boolean> {
    const { pids_stats: processes } = await this.#container!.stats({
      stream: false,
      "one-shot": true,
    });
    return (processes?.current ?? 1) > 1;
  }

  #remove(): Promise<void> {
    const container = this.#container;
    this.#container = undefined;
    // The container may have been removed already, also by another program.
    if (container !== undefined)
      this.#removal = container.remove({ force: true }).then(
        () => {},
        () => {},
      );
    return this.#removal;
  }
}
