import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";

import { Output } from "../child/output.ts";
import type { Json, Limits, RunOptions, RunResult, Sandbox, SandboxOptions } from "../sandbox.ts";
import { Turns, waitFor } from "../turns.ts";
import type { RemoteExecution, RemoteMachine } from "./client.ts";

interface RemoteSettings {
  readonly language: string;
  readonly limits: Limits;
}

const sigkill = 137;

/** Runs code on one machine of a service. A run that does not end is ended with the machine; the next run has a new one. */
export class RemoteSandbox implements Sandbox {
  readonly #start: () => Promise<RemoteMachine>;
  readonly #settings: RemoteSettings;
  readonly #options: SandboxOptions;
  readonly #turns: Turns;
  #machine: RemoteMachine | undefined;
  #removal: Promise<void> = Promise.resolve();
  #isReset = false;

  constructor(
    start: () => Promise<RemoteMachine>,
    settings: RemoteSettings,
    options: SandboxOptions,
  ) {
    this.#start = start;
    this.#settings = settings;
    this.#options = options;
    this.#turns = new Turns(options.signal);
    this.#turns.closed.addEventListener("abort", () => void this.#remove(), { once: true });
  }

  /** Starts the machine, so that the first run need not. */
  open(): Promise<void> {
    return this.#turns.next(async () => void (await this.#running()));
  }

  run(code: string, options: RunOptions = {}): Promise<RunResult> {
    return this.#turns.next(() => this.#run(code, options));
  }

  read(path: string): Promise<Uint8Array> {
    return this.#turns.next(async () => {
      const { files } = await this.#running();
      return await files.read(path, { format: "bytes" });
    });
  }

  write(path: string, content: string | Uint8Array): Promise<void> {
    return this.#turns.next(async () => await write(await this.#running(), path, content));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turns.close();
    await this.#remove();
  }

  async #run(code: string, { stdin = "", signal, ms = Infinity }: RunOptions): Promise<RunResult> {
    signal?.throwIfAborted();
    if (stdin !== "") throw new ConfigError("Remote sandboxes have no standard input. Use a file.");
    const machine = await this.#running();
    const { limits, language } = this.#settings;
    const limit = Math.min(ms, limits.ms);
    const output = new Output(limits.output);
    const finished = machine.runCode(code, {
      language,
      // Uses our own limit, which ends the machine; the service's limit does not.
      timeoutMs: limit + 10_000,
      onStdout: ({ line }) => output.write("stdout", line),
      onStderr: ({ line }) => output.write("stderr", line),
    });
    const execution = await waitFor(finished, limit, [signal, this.#turns.closed]);
    if (execution === undefined) await this.#remove();
    const reset = execution === undefined || this.#isReset;
    this.#isReset = execution === undefined;
    this.#turns.closed.throwIfAborted();
    signal?.throwIfAborted();
    this.#isReset = false;
    return { ...resultOf(execution, output), reset };
  }

  async #running(): Promise<RemoteMachine> {
    if (this.#machine !== undefined) return this.#machine;
    const machine = await this.#start().catch((error: unknown) => {
      throw new Error(`The service did not start a machine: ${messageOf(error)}`, { cause: error });
    });
    this.#machine = machine;
    if (this.#turns.closed.aborted) await this.#remove();
    this.#turns.closed.throwIfAborted();
    for (const [path, content] of Object.entries(this.#options.files ?? {}))
      await write(machine, path, content);
    return machine;
  }

  #remove(): Promise<void> {
    const machine = this.#machine;
    this.#machine = undefined;
    // Ignores a failure: the service ends the machine after its lifetime.
    if (machine !== undefined)
      this.#removal = machine.kill().then(
        () => {},
        () => {},
      );
    return this.#removal;
  }
}

function resultOf(
  execution: RemoteExecution | undefined,
  output: Output,
): Omit<RunResult, "reset"> {
  const error = execution?.error;
  if (error !== undefined) output.write("stderr", `${error.name}: ${error.value}\n`);
  const { truncated } = output;
  const exitCode = execution === undefined ? sigkill : error === undefined ? 0 : 1;
  return {
    ...output.texts,
    value: execution === undefined ? undefined : valueOf(execution),
    exitCode,
    timedOut: execution === undefined,
    outOfMemory: error !== undefined && /MemoryError|out of memory/i.test(error.name + error.value),
    truncated,
  };
}

/** The value of the last expression; a service gives it as JSON, or as the text that a notebook would show. */
function valueOf({ results }: RemoteExecution): Json | undefined {
  const main = results.find(({ isMainResult }) => isMainResult);
  if (main?.json !== undefined) return main.json as Json;
  if (main?.text === undefined) return undefined;
  try {
    return JSON.parse(main.text) as Json;
  } catch {
    return main.text;
  }
}

async function write(
  { files }: RemoteMachine,
  path: string,
  content: string | Uint8Array,
): Promise<void> {
  const bytes = typeof content === "string" ? content : Uint8Array.from(content).buffer;
  await files.write(path, bytes);
}
