import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";

import type { Machine, MachineResult, MachineRun } from "../machine/machine-sandbox.ts";
import type { Json } from "../sandbox.ts";
import type { RemoteExecution, RemoteMachine } from "./client.ts";

export class ServiceMachine implements Machine {
  readonly #machine: RemoteMachine;
  readonly #language: string;

  private constructor(machine: RemoteMachine, language: string) {
    this.#machine = machine;
    this.#language = language;
  }

  static async start(
    create: () => Promise<RemoteMachine>,
    language: string,
  ): Promise<ServiceMachine> {
    try {
      return new ServiceMachine(await create(), language);
    } catch (error) {
      throw new Error(`The service did not start a machine: ${messageOf(error)}`, { cause: error });
    }
  }

  async run(code: string, { stdin, ms, output }: MachineRun): Promise<MachineResult> {
    if (stdin !== "") throw new ConfigError("Remote sandboxes have no standard input. Use a file.");
    const { error, results } = await this.#machine.runCode(code, {
      language: this.#language,
      // Ours removes the machine, which the service's own limit does not.
      timeoutMs: ms + 10_000,
      onStdout: ({ line }) => output.write("stdout", line),
      onStderr: ({ line }) => output.write("stderr", line),
    });
    const value = valueOf(results);
    if (error === undefined) return { value, exitCode: 0, outOfMemory: false };
    const { name, value: message } = error;
    output.write("stderr", `${name}: ${message}\n`);
    const outOfMemory = /MemoryError|out of memory/i.test(name + message);
    return { value, exitCode: 1, outOfMemory };
  }

  read(path: string): Promise<Uint8Array> {
    return this.#machine.files.read(path, { format: "bytes" });
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    const bytes = typeof content === "string" ? content : Uint8Array.from(content).buffer;
    await this.#machine.files.write(path, bytes);
  }

  /** Variables and processes stay from run to run. */
  async hasProcesses(): Promise<boolean> {
    return false;
  }

  /** The service ends the machine after its lifetime if this fails. */
  remove(): Promise<unknown> {
    return this.#machine.kill();
  }
}

/** The value of the last expression; a service gives it as JSON, or as the text that a notebook would show. */
function valueOf(results: RemoteExecution["results"]): Json | undefined {
  const main = results.find(({ isMainResult }) => isMainResult);
  if (main?.json !== undefined) return main.json as Json;
  if (main?.text === undefined) return undefined;
  try {
    return JSON.parse(main.text) as Json;
  } catch {
    return main.text;
  }
}
