import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { vi } from "vitest";

import { envsHere } from "../../cli/test/command.ts";

const bin = join(import.meta.dirname, "../../cli/src/bin.ts");
/** The package managers are dependencies of the e2e tests. */
const { resolve } = createRequire(join(import.meta.dirname, "../../../e2e/package.json"));

/** The command that starts each package manager. */
const programs = {
  npm: () => [process.execPath, join(dirname(resolve("npm-11/package.json")), "bin/npm-cli.js")],
  // pnpm runs the tests and adds itself to the PATH.
  pnpm: () => [findOnPath("pnpm")],
  yarn1: () => [process.execPath, join(dirname(resolve("yarn/package.json")), "bin/yarn.js")],
  yarn4: () => [process.execPath, resolve("@yarnpkg/cli-dist/bin/yarn.js")],
} as const;

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly folder?: string;
  /** Called with the whole output so far whenever it grows; `interrupt` sends Ctrl-C. */
  readonly onOutput?: (output: string, interrupt: () => void) => void;
}

/** A temporary home folder, project folder and PATH with some package managers. */
export interface TestMachine extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  /** Runs the command line from its sources. */
  envs(args: readonly string[], options?: RunOptions): Promise<CommandResult>;
  /** Runs the command line with `--json` and parses its output. Throws if it fails. */
  json<Json>(args: readonly string[], options?: RunOptions): Promise<Json>;
  /** Runs a package manager in the project. Throws if it fails. */
  run(manager: string, ...args: readonly string[]): Promise<void>;
  write(path: string, text: string): Promise<void>;
  /** Returns the text of a project file, or of a home file with `~/`; "" if it does not exist. */
  read(path: string): Promise<string>;
}

/** Creates a machine. Its commands use no file of the real home folder. */
export async function testMachine(
  managers: readonly (keyof typeof programs)[] = [],
): Promise<TestMachine> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "envs-machine-")));
  const [home, project, path] = [join(root, "home"), join(root, "project"), join(root, "bin")];
  for (const folder of [home, project, path]) await mkdir(folder);
  for (const manager of managers) {
    const file = join(path, manager.replace(/\d$/, ""));
    const words = programs[manager]().map((word) => `'${word}'`);
    await writeFile(file, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
    await chmod(file, 0o755);
  }
  const resolvePath = (file: string): string =>
    file.startsWith("~/") ? join(home, file.slice(2)) : join(project, file);
  const environment = (variables: Readonly<Record<string, string>> = {}) => ({
    HOME: home,
    PATH: path,
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    NO_COLOR: "1",
    npm_config_update_notifier: "false",
    ...variables,
  });
  const start = async (
    [command = "", ...args]: readonly string[],
    { variables, input = "", folder = project, onOutput }: RunOptions = {},
  ): Promise<CommandResult> => {
    const child = spawn(command, args, {
      cwd: folder,
      env: environment(variables),
    });
    child.stdin.on("error", () => {}).end(input);
    const output = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const)
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        output[stream] += text;
        onOutput?.(`${output.stdout}${output.stderr}`, () => void child.kill("SIGINT"));
      });
    const [code] = (await once(child, "close")) as [number];
    return { code, ...output };
  };
  const startHere = async (
    args: readonly string[],
    { variables, folder = project }: RunOptions,
  ): Promise<CommandResult> => {
    const cwd = process.cwd();
    for (const name of Object.keys(process.env))
      if (/^(?:npm_|pnpm_|ENVS_|HUB_|CI$)/.test(name)) vi.stubEnv(name, undefined);
    for (const [name, value] of Object.entries(environment(variables))) vi.stubEnv(name, value);
    process.chdir(folder);
    try {
      return await envsHere(args);
    } finally {
      process.chdir(cwd);
      vi.unstubAllEnvs();
    }
  };
  const envs: TestMachine["envs"] = (args, options = {}) =>
    onlyAsksHub(args, options)
      ? startHere(args, options)
      : start([process.execPath, bin, ...args], options);
  return {
    home,
    project,
    envs,
    async json<Json>(args: readonly string[], options?: RunOptions) {
      const { code, stdout, stderr } = await envs([...args, "--json"], options);
      if (code !== 0) throw new Error(`envs ${args.join(" ")} exited with ${code}: ${stderr}`);
      return JSON.parse(stdout) as Json;
    },
    async run(manager, ...args) {
      const { code, stdout, stderr } = await start([join(path, manager), ...args]);
      if (code !== 0) throw new Error(`${manager} ${args.join(" ")}: ${stdout}${stderr}`);
    },
    async write(file, text) {
      await mkdir(dirname(resolvePath(file)), { recursive: true });
      await writeFile(resolvePath(file), text);
    },
    read: (file) => readFile(resolvePath(file), "utf8").catch(() => ""),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** Whether a command needs neither input nor signals: it runs in this process, which saves the start of a program. */
function onlyAsksHub(
  [command, ...args]: readonly string[],
  { input, onOutput }: RunOptions,
): boolean {
  return (
    ["hub", "search"].includes(command ?? "") &&
    // `hub server` starts the hub's program, which prints by itself.
    args[0] !== "server" &&
    !args.includes("--password") &&
    input === undefined &&
    onOutput === undefined
  );
}

function findOnPath(name: string): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const path = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (path === undefined)
    throw new Error(`${name} is not on the PATH. Run the tests with: pnpm test`);
  return path;
}
