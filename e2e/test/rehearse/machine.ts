import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";

import { programs } from "../support/clients.ts";
import { createWorkplace } from "../support/clients/workplace.ts";
import type { Stranger } from "./strangers.ts";

/** A machine with Node, npm and one more package manager: an empty home folder, empty caches, and no other program. */
export interface EmptyMachine extends AsyncDisposable {
  /** The user's `.npmrc`, which names the registry of this machine. */
  readonly npmrc: string;
  /** An empty folder. */
  readonly folder: string;
  /** Runs a command and returns its output. Throws an error with the output if it fails. */
  run(command: readonly string[], options: RunOptions): Promise<string>;
  /** Starts a server, waits until it prints its address, and ends it after `use`. */
  serve(
    command: readonly string[],
    options: RunOptions,
    use: (address: string) => Promise<void>,
  ): Promise<void>;
}

interface RunOptions {
  readonly folder: string;
  readonly variables?: Readonly<Record<string, string>>;
}

/** Creates the machine of a person. Its disposal removes it. */
export async function emptyMachine({ manager, program }: Stranger): Promise<EmptyMachine> {
  const workplace = await createWorkplace();
  const path = join(workplace.home, "programs");
  const folder = join(workplace.home, "work");
  await mkdir(path);
  await mkdir(folder);
  await symlink(process.execPath, join(path, "node"));
  await symlink("/bin/sh", join(path, "sh"));
  await writeProgram(join(path, "npm"), programs.npm);
  if (manager !== "npm") await writeProgram(join(path, manager), program);

  const start = ([name = "", ...args]: readonly string[], options: RunOptions) => {
    const child = spawn(join(path, name), args, {
      cwd: options.folder,
      env: { ...workplace.variables, ...options.variables, PATH: path },
      // Its own process group, so that the programs of its scripts end with it.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { text: "" };
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (output.text += String(chunk)));
    return { child, output, closed: once(child, "close") as Promise<[number | null]> };
  };

  return {
    npmrc: join(workplace.home, ".npmrc"),
    folder,
    async run(command, options) {
      const { child, output, closed } = start(command, options);
      const timer = setTimeout(() => endGroup(child), 300_000);
      const [code] = await closed;
      clearTimeout(timer);
      if (code !== 0) throw failure(command, options, output.text);
      return output.text;
    },
    async serve(command, options, use) {
      const { child, output, closed } = start(command, options);
      try {
        const address = await new Promise<string>((resolve, reject) => {
          child.stdout.on("data", () => {
            const [found] = /http:\/\/\S+/.exec(output.text) ?? [];
            if (found !== undefined) resolve(found);
          });
          child.on("close", () => reject(failure(command, options, output.text)));
        });
        await use(address);
      } finally {
        endGroup(child);
        await closed;
      }
    },
    [Symbol.asyncDispose]: () => workplace[Symbol.asyncDispose](),
  };
}

function endGroup({ pid, exitCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid, "SIGKILL");
}

function failure(command: readonly string[], { folder }: RunOptions, output: string): Error {
  const lines = output.trim().split("\n").slice(-60).join("\n");
  return new Error(`${command.join(" ")} failed in ${folder}:\n${lines}`);
}

/** Writes a program that starts another one by its path. */
async function writeProgram(file: string, [name = "", ...args]: readonly string[]): Promise<void> {
  const line = [pathOf(name), ...args].map((word) => `'${word}'`).join(" ");
  await writeFile(file, `#!/bin/sh\nexec ${line} "$@"\n`);
  await chmod(file, 0o755);
}

/** Finds a program as a shell does. */
function pathOf(name: string): string {
  if (name.includes("/")) return name;
  const files = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, name));
  const file = files.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (file === undefined) throw new Error(`${name} is not installed. Run this by pnpm.`);
  return file;
}
