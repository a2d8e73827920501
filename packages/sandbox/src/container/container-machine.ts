import type Docker from "dockerode";

import type { Machine, MachineResult, MachineRun } from "../machine/machine-sandbox.ts";
import { execute } from "./exec.ts";
import { type ContainerSettings, createOptions, folder } from "./settings.ts";

const sigkill = 137;
const writeCommand = 'mkdir -p "$(dirname -- "$1")" && cat > "$1"';

/** A running container. */
export class ContainerMachine implements Machine {
  readonly #settings: ContainerSettings;
  readonly #container: Docker.Container;

  private constructor(settings: ContainerSettings, container: Docker.Container) {
    this.#settings = settings;
    this.#container = container;
  }

  static async start(settings: ContainerSettings): Promise<ContainerMachine> {
    const container = await settings.docker.createContainer(createOptions(settings));
    const machine = new ContainerMachine(settings, container);
    try {
      await container.start();
      return machine;
    } catch (error) {
      await machine.remove().catch(() => {});
      throw error;
    }
  }

  async run(code: string, { stdin, output }: MachineRun): Promise<MachineResult> {
    const exitCode = await this.#execute(this.#settings.command(code), stdin, (stream, data) =>
      output.write(stream, data),
    );
    return { value: undefined, exitCode, outOfMemory: exitCode === sigkill };
  }

  async read(path: string): Promise<Uint8Array> {
    const parts: Buffer[] = [];
    const exitCode = await this.#execute(["cat", "--", path], "", (stream, data) => {
      if (stream === "stdout") parts.push(data);
    });
    if (exitCode !== 0) throw new Error(`There is no file ${path} in the sandbox.`);
    return Buffer.concat(parts);
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    let problem = "";
    const command = ["sh", "-c", writeCommand, "sh", path];
    const exitCode = await this.#execute(command, content, (_, data) => {
      problem += data.toString("utf8").slice(0, 1000);
    });
    if (exitCode !== 0) throw new Error(`Could not write ${path}: ${problem.trim()}`);
  }

  async hasProcesses(): Promise<boolean> {
    const { pids_stats: processes } = await this.#container.stats({
      stream: false,
      "one-shot": true,
    });
    return (processes?.current ?? 1) > 1;
  }

  remove(): Promise<unknown> {
    return this.#container.remove({ force: true });
  }

  #execute(
    command: readonly string[],
    input: string | Uint8Array,
    onOutput: (stream: "stdout" | "stderr", data: Buffer) => void,
  ): Promise<number> {
    const place = { docker: this.#settings.docker, container: this.#container };
    return execute(place, { command, folder, input, onOutput });
  }
}
