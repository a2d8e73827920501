import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

const bin = join(import.meta.dirname, "../../cli/src/bin.ts");
/** Package managers are dependencies of the tests end to end. */
const { resolve } = createRequire(join(import.meta.dirname, "../../../e2e/package.json"));

/** What each package manager is started with. */
const programs = {
  npm: () => [process.execPath, join(dirname(resolve("npm-11/package.json")), "bin/npm-cli.js")],
  // The tests run under pnpm, which puts itself on the path.
  pnpm: () => [onPath("pnpm")],
  yarn1: () => [process.execPath, join(dirname(resolve("yarn/package.json")), "bin/yarn.js")],
  yarn4: () => [process.execPath, resolve("@yarnpkg/cli-dist/bin/yarn.js")],
} as const;

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly variables?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly folder?: string;
  /** Given all that was printed so far, whenever there is more, and what Ctrl-C does. */
  readonly onOutput?: (printed: string, interrupt: () => void) => void;
}

/** A person's machine with an empty home, an empty project, and the package managers that were asked for. */
export interface Workplace extends AsyncDisposable {
  readonly home: string;
  readonly project: string;
  /** Runs the command line from its sources. */
  envs(args: readonly string[], options?: RunOptions): Promise<Ended>;
  /** The same for what it prints as JSON; fails unless it ends well. */
  json<Json>(args: readonly string[], options?: RunOptions): Promise<Json>;
  /** Has a package manager do something in the project; fails unless it ends well. */
  does(manager: string, ...args: readonly string[]): Promise<void>;
  write(path: string, text: string): Promise<void>;
  /** The text of a file of the project, or of the home with `~/`; empty if there is none. */
  read(path: string): Promise<string>;
}

/** Makes a workplace. No file of this machine is read or written by what runs there. */
export async function workplace(
  managers: readonly (keyof typeof programs)[] = [],
): Promise<Workplace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "envs-workplace-")));
  const [home, project, path] = ["home", "project", "bin"].map((each) => join(root, each)) as [
    string,
    string,
    string,
  ];
  for (const folder of [home, project, path]) await mkdir(folder);
  for (const manager of managers) {
    const file = join(path, manager.replace(/\d$/, ""));
    const words = programs[manager]().map((word) => `'${word}'`);
    await writeFile(file, `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
    await chmod(file, 0o755);
  }
  const placeOf = (file: string): string =>
    file.startsWith("~/") ? join(home, file.slice(2)) : join(project, file);
  const start = async (
    [command = "", ...args]: readonly string[],
    { variables = {}, input = "", folder = project, onOutput }: RunOptions = {},
  ): Promise<Ended> => {
    const child = spawn(command, args, {
      cwd: folder,
      env: {
        HOME: home,
        PATH: path,
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        NO_COLOR: "1",
        npm_config_update_notifier: "false",
        ...variables,
      },
    });
    child.stdin.on("error", () => {}).end(input);
    const printed = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"] as const)
      child[stream].setEncoding("utf8").on("data", (text: string) => {
        printed[stream] += text;
        onOutput?.(`${printed.stdout}${printed.stderr}`, () => void child.kill("SIGINT"));
      });
    const [code] = (await once(child, "close")) as [number];
    return { code, ...printed };
  };
  const envs: Workplace["envs"] = (args, options) =>
    start([process.execPath, "-C", "@envs/source", bin, ...args], options);
  return {
    home,
    project,
    envs,
    async json<Json>(args: readonly string[], options?: RunOptions) {
      const { code, stdout, stderr } = await envs([...args, "--json"], options);
      if (code !== 0) throw new Error(`envs ${args.join(" ")} ends with ${code}: ${stderr}`);
      return JSON.parse(stdout) as Json;
    },
    async does(manager, ...args) {
      const { code, stdout, stderr } = await start([join(path, manager), ...args]);
      if (code !== 0) throw new Error(`${manager} ${args.join(" ")}: ${stdout}${stderr}`);
    },
    async write(file, text) {
      await mkdir(dirname(placeOf(file)), { recursive: true });
      await writeFile(placeOf(file), text);
    },
    read: (file) => readFile(placeOf(file), "utf8").catch(() => ""),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 10 }),
  };
}

function onPath(name: string): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = folders.map((folder) => join(folder, name)).find((file) => existsSync(file));
  if (found === undefined)
    throw new Error(`${name} is not on the path. Run the tests by: pnpm test`);
  return found;
}
